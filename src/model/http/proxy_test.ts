import { ok } from "node:assert/strict";
import { is_proxied } from "./proxy.ts";

Deno.test("a proxy is for others, not for this machine", () => {
  const env = (name: string) => name === "https_proxy" ? "http://proxy:3128" : undefined;
  ok(is_proxied("https://example.com/v1", env));
  ok(!is_proxied("http://127.0.0.1:8080/v1", env));
  ok(!is_proxied("https://example.com/v1", () => undefined));
  ok(!is_proxied("http://example.com/v1", env));
  const excepting = (no_proxy: string) => (name: string) =>
    ({ ALL_PROXY: "http://proxy:3128", NO_PROXY: no_proxy })[name];
  for (const no_proxy of ["*", "other, .Example.com", "example.com", "*.wiki.example.com"]) {
    ok(!is_proxied("http://wiki.example.com/a", excepting(no_proxy)), no_proxy);
  }
  for (const no_proxy of ["", "ample.com", "a.wiki.example.com"]) {
    ok(is_proxied("http://wiki.example.com/a", excepting(no_proxy)), no_proxy);
  }
});
