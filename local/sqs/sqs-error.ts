/** An error of SQS; `code` is the name of the exception without its namespace. */
export class SqsError extends Error {
  override readonly name = 'SqsError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
