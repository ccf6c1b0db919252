/** What tests of the store start from. */
import { Memory } from "./memory.ts";

/** A data folder, gone afterwards. */
export async function in_folder(test: (folder: string) => void | Promise<void>): Promise<void> {
  const folder = Deno.makeTempDirSync({ prefix: "hamr_store_" });
  try {
    await test(folder);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

/** The memory of one workspace, on a database of its own. */
export async function with_memory(
  test: (memory: Memory, folder: string) => void,
  workspace: string | null = "/work/one",
): Promise<void> {
  await in_folder((folder) => {
    const memory = new Memory({ data_dir: folder, workspace });
    try {
      test(memory, folder);
    } finally {
      memory.close();
    }
  });
}
