/** Landlock's versions from which on it limits more; Documentation/userspace-api/landlock.rst. */

/** The shortening of files. */
export const TRUNCATE_ABI = 3;
/** TCP. */
export const NET_ABI = 4;
/** Abstract unix sockets and signals of what is outside. */
export const SCOPE_ABI = 6;
