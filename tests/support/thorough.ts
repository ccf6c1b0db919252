/** Whether this is `deno task test:thorough`, which takes minutes more than `deno task test`. */
export const thorough = Deno.env.get("HAMR_THOROUGH") !== undefined;

/** How many random cases are tried: some in `deno task test`, all of them in `deno task test:thorough`. */
export function cases(some: number, all: number): number {
  return thorough ? all : some;
}

/** The first of every `one_in` items in `deno task test`, all of them in `deno task test:thorough`. */
export function sample<T>(items: readonly T[], one_in: number): readonly T[] {
  return thorough ? items : items.filter((_, n) => n % one_in === 0);
}
