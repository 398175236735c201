import { RegistrarError } from '../../errors.ts';

/** The version of an object: its ETag without quotes. */
export function versionOf(uri: string, etag: string | undefined): string {
  if (etag !== undefined) return etag.replaceAll('"', '');
  throw new RegistrarError('store.unavailable', `Cannot use "${uri}": the store answered no ETag for it`);
}

export function lastModifiedOf(uri: string, ms: number | undefined): number {
  if (ms !== undefined && !Number.isNaN(ms)) return ms;
  throw new RegistrarError(
    'store.unavailable',
    `Cannot use "${uri}": the store answered no Last-Modified for it`,
  );
}
