/** Copies a workspace and removes the copy, on its own thread, since the main thread has given up the right to write by then. */

export type ToCopier =
  | { readonly kind: "copy"; readonly from: string; readonly to: string }
  | { readonly kind: "remove"; readonly path: string };

/** Null: done; else why it could not be done. */
export type FromCopier = string | null;

/** What of `self` is used here; Deno's own types for workers are not among those of the main thread. */
interface Port {
  onmessage: ((event: MessageEvent<ToCopier>) => void) | null;
  postMessage(message: FromCopier): void;
}
const port = self as unknown as Port;

port.onmessage = ({ data }) => {
  try {
    if (data.kind === "remove") remove(data.path);
    else copy(data.from, data.to);
    port.postMessage(null);
  } catch (error) {
    port.postMessage(error instanceof Error ? error.message : String(error));
  }
};

function remove(path: string): void {
  try {
    Deno.removeSync(path, { recursive: true });
  } catch {
    unlock(path);
    Deno.removeSync(path, { recursive: true });
  }
}

/** Out of a folder that may not be written nothing can be removed. */
function unlock(folder: string): void {
  Deno.chmodSync(folder, 0o700);
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    if (isDirectory) unlock(`${folder}/${name}`);
  }
}

/** Files, folders and links as they are; what else there is, such as a socket, is left out. */
function copy(from: string, to: string): void {
  const { isSymlink, isDirectory, isFile, mode } = Deno.lstatSync(from);
  if (isSymlink) Deno.symlinkSync(Deno.readLinkSync(from), to);
  else if (isFile) Deno.copyFileSync(from, to);
  else if (isDirectory) {
    Deno.mkdirSync(to);
    for (const { name } of Deno.readDirSync(from)) copy(`${from}/${name}`, `${to}/${name}`);
    // Last: a folder that nobody may write into could not be filled.
    if (mode !== null) Deno.chmodSync(to, mode & 0o777);
  }
}
