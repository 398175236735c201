/** Lambda's longest timeout, in milliseconds. A command has no time limit, and uses this as the time that each step has left. */
export const LONGEST_INVOCATION_MS = 15 * 60_000;
