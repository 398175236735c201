/** An error response of the REST specification (`ErrorModel`). */
export class CatalogError extends Error {
  override readonly name = 'CatalogError';
  readonly status: number;
  readonly type: string;

  constructor(status: number, type: string, message: string) {
    super(message);
    this.status = status;
    this.type = type;
  }
}

export const badRequest = (message: string) => new CatalogError(400, 'BadRequestException', message);
export const invalid = (message: string) => new CatalogError(400, 'ValidationException', message);
export const commitFailed = (message: string) => new CatalogError(409, 'CommitFailedException', message);
export const alreadyExists = (message: string) => new CatalogError(409, 'AlreadyExistsException', message);
export const noSuchTable = (name: string) =>
  new CatalogError(404, 'NoSuchTableException', `Table does not exist: ${name}`);
export const noSuchNamespace = (name: string) =>
  new CatalogError(404, 'NoSuchNamespaceException', `Namespace does not exist: ${name}`);
