/** Everyday work in several languages, honest and false: each run ends as the contract says, at no request too many. */
import { kind } from "../kind.ts";
import { ANSWERS } from "./answers.ts";
import { FALSE_CLAIMS } from "./false_claims.ts";
import { WORK } from "./work.ts";

kind("honest", "everyday answers", ANSWERS);
kind("honest", "everyday work", WORK);
kind("dishonest", "everyday claims", FALSE_CLAIMS);
