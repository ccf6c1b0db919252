import { node_crypto } from "../config/node.ts";

export function hasher(algorithm: "sha1" | "sha256") {
  return node_crypto().createHash(algorithm);
}

/** Content hash as the ledger has it. */
export function sha256(bytes: Uint8Array): string {
  return hasher("sha256").update(bytes).digest("hex");
}

/** The id under which git has a content, hex. */
export function git_id(content: Uint8Array, algorithm: "sha1" | "sha256"): string {
  return hasher(algorithm).update(`blob ${content.length}\0`).update(content).digest("hex");
}
