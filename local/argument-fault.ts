/** Whether `parseArgs` refused the command line: its message says what it does not know. */
export function isArgumentFault(error: unknown): error is Error {
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}
