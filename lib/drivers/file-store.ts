import { open } from 'node:fs/promises';
import type { ByteRange, ReadResult, Store } from '../ports.ts';
import { span } from './ranged-body.ts';

/** Reads local files. A URI is a path; a version consists of modification time and size. */
export function fileStore(): Pick<Store, 'read'> {
  return { read: readFile };
}

async function readFile(
  path: string,
  { range, ifVersion }: { readonly range?: ByteRange; readonly ifVersion?: string } = {},
): Promise<ReadResult> {
  const file = await open(path).catch(whyNot);
  if ('kind' in file) return file;
  try {
    const stats = await file.stat();
    if (!stats.isFile()) return { kind: 'missing' };
    const { size, mtimeMs } = stats;
    const version = `${mtimeMs}-${size}`;
    if (ifVersion !== undefined && ifVersion !== version) return { kind: 'changed' };
    const [start, end] = span(range, size);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(end - start), 0, end - start, start);
    return {
      kind: 'object',
      bytes: buffer.subarray(0, bytesRead),
      sizeBytes: size,
      version,
      lastModifiedMs: Math.trunc(mtimeMs),
    };
  } finally {
    await file.close();
  }
}

function whyNot(error: NodeJS.ErrnoException): Exclude<ReadResult, { kind: 'object' }> {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return { kind: 'missing' };
  if (error.code === 'EACCES' || error.code === 'EPERM') return { kind: 'denied', message: error.message };
  throw error;
}
