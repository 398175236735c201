import { RegistrarError } from '../../lib/errors.ts';
import type { CommitResult } from '../../lib/ports.ts';
import { CatalogError } from '../../local/catalog/catalog-error.ts';

/** A refused commit, as a driver tells it. @throws what is no error of the catalog */
export function refusedCommit(error: unknown): CommitResult {
  if (!(error instanceof CatalogError)) throw error;
  const reason = error.status === 409 ? 'conflict' : error.status === 404 ? 'missing' : 'invalid';
  return { outcome: 'refused', reason, message: textOf(error) };
}

/** A refused creation, as a driver tells it. @throws whatever was refused for another reason than that the name is taken */
export function refusedCreation(error: unknown): 'exists' {
  if (!(error instanceof CatalogError)) throw error;
  if (error.status === 409) return 'exists';
  throw new RegistrarError('catalog.refused', textOf(error));
}

function textOf({ status, type, message }: CatalogError): string {
  return `${status} ${type}: ${message}`;
}
