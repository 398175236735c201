/** What a command's help shows below its options: examples to copy, and what its exit codes mean. */
export function helpText(
  examples: readonly string[],
  exitCodes = '0 success, 1 failure (the message says why)',
): string {
  return `\nExamples:\n${examples.map((line) => `  ${line}`).join('\n')}\n\nExit codes: ${exitCodes}`;
}
