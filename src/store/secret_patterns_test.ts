import { equal } from "node:assert/strict";
import { secret_in } from "./secret_patterns.ts";

const LETTERS = "aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA3bC5dE7f";
const ANY = "a password, token or key";

Deno.test("secret_in() knows the forms of keys, and names them", () => {
  const table: [string, string][] = [
    ["-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNza", "a private key"],
    ["-----BEGIN PRIVATE KEY-----", "a private key"],
    ["the key is AKIAIOSFODNN7EXAMPLE", "an AWS access key"],
    [`push with ghp_${LETTERS.slice(0, 36)}`, "a GitHub token"],
    [`github_pat_${LETTERS}`, "a GitHub token"],
    [`glpat-${LETTERS.slice(0, 20)}`, "a GitLab token"],
    ["xoxb-123456789012-abcdefgh", "a Slack token"],
    [`sk-${LETTERS}`, "an API key"],
    [`sk-proj-${LETTERS}`, "an API key"],
    [`sk-ant-api03-${LETTERS}`, "an API key"],
    [`sk_live_${LETTERS}`, "an API key"],
    [`AIza${LETTERS.slice(0, 35)}`, "a Google API key"],
    [`hf_${LETTERS.slice(0, 34)}`, "a Hugging Face token"],
    [`npm_${LETTERS.slice(0, 36)}`, "a registry token"],
    ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "a JSON web token"],
    [`Authorization: Bearer ${LETTERS}`, "an authorization header"],
    ["curl -H 'authorization: basic dXNlcjpwYXNzd29yZA=='", "an authorization header"],
    ["postgres://app:s3cret@db/app", "an address with a password"],
    ["https://user:letmein@example.org", "an address with a password"],
    ["password: hunter2!", ANY],
    ["DB_PASSWORD=tr0ub4dor", ANY],
    ['"api_key": "swordfish"', ANY],
    ["the password is 'swordfish'", ANY],
    ["API key = 8f14e45fceea167a", ANY],
    ["client-secret=x9-Yq.77", ANY],
    ["passwd is correct-horse-42", ANY],
  ];
  for (const [text, expected] of table) equal(secret_in(text), expected, text);
});

Deno.test("secret_in() lets facts about secrets pass", () => {
  const harmless = [
    "The token is required in every request.",
    "password: required",
    "token: string",
    "secret: Map<string, number>",
    "The API key is read from OPENAI_API_KEY.",
    "api_key = os.environ['OPENAI_API_KEY']",
    "token = $GITHUB_TOKEN",
    "password: <your password>",
    "password = ${DB_PASSWORD}",
    "password=***",
    "the credentials are in ~/.aws/credentials",
    "secret = config.get('secret')",
    "token: settings.auth.token",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b broke it",
    "postgres://localhost:5432/app",
    "postgres://app:$PASSWORD@db/app",
    "http://127.0.0.1:8080/v1",
    "The lexer makes one token: 12345",
    "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
    "550e8400-e29b-41d4-a716-446655440000",
    "Bearer tokens are checked in auth.ts",
    "uses the sk-learn and task-runner-for-everything packages",
    "数据库密码在 vault 里",
    "",
    // What may begin a scheme or a token, again and again.
    "A+".repeat(500_000),
    "-eyJ-------e".repeat(20_000),
  ];
  for (const text of harmless) equal(secret_in(text), null, text);
});
