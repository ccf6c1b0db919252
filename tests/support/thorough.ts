const thorough = Deno.env.get("HAMR_THOROUGH") !== undefined;

/** How many random cases are tried: some in `deno task test`, all of them in `deno task test:thorough`, which takes minutes more. */
export function cases(some: number, all: number): number {
  return thorough ? all : some;
}
