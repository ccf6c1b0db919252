import { exists, names_in, text_of } from "./paths.ts";

/** As cargo writes them; anything else in the file is not about where a package comes from. */
const PACKAGE =
  /^name = "([^"]+)"\nversion = "([^"]+)"\nsource = "(registry|sparse|git)\+[^"#]*(?:#([0-9a-f]*))?"/gm;
/** A checkout's folder has so many digits of its commit. */
const SHORT_COMMIT = 7;

/** Whether a cargo folder has all of `Cargo.lock` unpacked, so that cargo need not write there. False if the file names nothing. */
export function cargo_can_do_with(folder: string, workspace: string): boolean {
  const packages = [...text_of(`${workspace}/Cargo.lock`).matchAll(PACKAGE)];
  const registries = below(`${folder}/registry/src`);
  const checkouts = below(`${folder}/git/checkouts`);
  return packages.length > 0 &&
    packages.every(([, name, version, kind, commit = ""]) =>
      kind === "git"
        ? checkouts.some((at) => exists(`${at}/${commit.slice(0, SHORT_COMMIT)}/.cargo-ok`))
        : registries.some((at) => exists(`${at}/${name}-${version}/.cargo-ok`))
    );
}

function below(folder: string): string[] {
  return names_in(folder).map((name) => `${folder}/${name}`);
}
