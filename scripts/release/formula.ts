/** A formula for Homebrew: the archive of each machine with its sum; nothing is built. */
import { archives_of } from "./pack.ts";

const SYSTEMS = { linux: "on_linux", macos: "on_macos" } as const;
const PROCESSORS = { x64: "on_intel", arm64: "on_arm" } as const;

/**
 * `hamr.rb` for a tap. `listed`: lines of SHA256SUMS. Null where they have no archive for Linux or macOS.
 * `url` is where the files are; {version} in it stands for the version.
 */
export function formula(
  listed: string,
  { version, url }: { readonly version: string; readonly url: string },
): string | null {
  const at = url.replaceAll("{version}", version).replace(/\/$/, "");
  const archives = archives_of(listed, version);
  const systems = Object.entries(SYSTEMS).flatMap(([system, block]) => {
    const machines = archives.flatMap(({ target, file, sha256 }) => {
      const processor = PROCESSORS[target.slice(system.length + 1) as keyof typeof PROCESSORS];
      if (!target.startsWith(`${system}-`)) return [];
      return [
        `    ${processor} do`,
        `      url ${ruby(`${at}/${file}`)}`,
        `      sha256 "${sha256}"`,
        "    end",
      ];
    });
    return machines.length === 0 ? [] : [`  ${block} do`, ...machines, "  end", ""];
  });
  if (systems.length === 0) return null;
  return [
    "class Hamr < Formula",
    '  desc "Coding agent in one binary, with permissions that the kernel enforces"',
    `  homepage ${ruby(new URL(at).origin)}`,
    `  version ${ruby(version)}`,
    '  license "MIT"',
    "",
    ...systems,
    "  def install",
    '    bin.install "hamr"',
    '    man1.install "hamr.1"',
    "  end",
    "",
    "  test do",
    '    assert_match version.to_s, shell_output("#{bin}/hamr --version")',
    "  end",
    "end",
    "",
  ].join("\n");
}

/** Without what Ruby would put into it. */
function ruby(text: string): string {
  return JSON.stringify(text).replaceAll("#", "\\#");
}
