import { sha1 } from "@noble/hashes/legacy.js";
import { sha256 as sha2 } from "@noble/hashes/sha2.js";
import { node_crypto } from "../config/node.ts";

/** Bytes for which Node's module is not loaded yet: it takes 33 ms of CPU (Deno 2.9.6), these at most 10. A usual run needs no more. */
let without_node = 64 * 1024;

/** Hashes a content of so many bytes, piece by piece. */
export function hasher(
  algorithm: "sha1" | "sha256",
  size: number,
): { update(piece: Uint8Array): void; digest(): string } {
  without_node -= size;
  if (without_node < 0) {
    const hash = node_crypto().createHash(algorithm);
    return { update: (piece) => void hash.update(piece), digest: () => hash.digest("hex") };
  }
  const hash = (algorithm === "sha1" ? sha1 : sha2).create();
  return { update: (piece) => void hash.update(piece), digest: () => hash.digest().toHex() };
}

/** Content hash as the ledger has it. */
export function sha256(bytes: Uint8Array): string {
  const hash = hasher("sha256", bytes.length);
  hash.update(bytes);
  return hash.digest();
}

/** The id under which git has a content, hex. */
export function git_id(content: Uint8Array, algorithm: "sha1" | "sha256"): string {
  const hash = hasher(algorithm, content.length);
  hash.update(new TextEncoder().encode(`blob ${content.length}\0`));
  hash.update(content);
  return hash.digest();
}
