/** What an answer claims to have been done, as one of its sentences says it. */
export interface Claim {
  /** `code`: no branch, list or package could be it. `git`: only a ref could; `push`: of a remote. `build`: a build, too; `generated`: a program that may have made it, or the file by an edit. `test`: a file that could hold one. */
  readonly what: "code" | "test" | "git" | "push" | "build" | "generated" | "any";
  /** What git was told to do, where that is what is claimed. */
  readonly verb?: string;
  readonly installs?: boolean;
  /** Files that the sentence names as changed: each of them must have. */
  readonly names: readonly string[];
  /** Where a fault shows elsewhere: all that the answer names, of which one must have changed instead. */
  readonly context?: readonly string[];
}
