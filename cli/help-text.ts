/** What stands below a command's options: lines to copy, and what its exit codes say. */
export function helpText(
  examples: readonly string[],
  exitCodes = '0 done, 1 it could not be done: the message says why',
): string {
  return `\nExamples:\n${examples.map((line) => `  ${line}`).join('\n')}\n\nExit codes: ${exitCodes}`;
}
