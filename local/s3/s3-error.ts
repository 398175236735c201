/** An error response of S3. */
export class S3Error extends Error {
  override readonly name = 'S3Error';
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export const noSuchKey = (key: string) =>
  new S3Error(404, 'NoSuchKey', `The specified key does not exist: "${key}"`);
export const noSuchBucket = (bucket: string) =>
  new S3Error(404, 'NoSuchBucket', `The specified bucket does not exist: "${bucket}"`);
export const preconditionFailed = () =>
  new S3Error(412, 'PreconditionFailed', 'At least one of the pre-conditions you specified did not hold');
