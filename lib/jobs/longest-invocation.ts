/** The longest that Lambda lets an invocation run, in milliseconds: what a command, which has no limit, is given for each step. */
export const LONGEST_INVOCATION_MS = 15 * 60_000;
