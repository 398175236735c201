import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Entry } from './entry.ts';

type Setting = 'catalog_ca_file' | 'catalog_client_cert' | 'catalog_client_key';

const kinds: readonly (readonly [Setting, (pem: string) => unknown])[] = [
  ['catalog_ca_file', readCertificates],
  ['catalog_client_cert', readCertificates],
  ['catalog_client_key', createPrivateKey],
];

/**
 * The entry with the text of its certificates in the place of their paths. One that is missing, unreadable or empty, or is none, becomes a
 * problem at the start: at the first connection it would be a puzzle, and an empty CA must never mean the platform's.
 */
export async function readCertificateFiles(
  entry: Entry,
  readFile: (path: string) => Promise<string>,
  problems: string[],
): Promise<Entry> {
  const texts: Partial<Record<Setting, string>> = {};
  for (const [setting, parse] of kinds) {
    const value = entry[setting];
    if (value === undefined) continue;
    const isText = value.includes('-----BEGIN');
    const what = isText ? setting : `${setting}: the file "${value}"`;
    try {
      const text = isText ? value : await readFile(value);
      if (text.trim() === '') problems.push(`${what} is empty`);
      else parse(text);
      texts[setting] = text;
    } catch (error) {
      problems.push(`${what} cannot be used: ${error instanceof Error ? error.message : error}`);
    }
  }
  const { catalog_client_cert: cert, catalog_client_key: key } = texts;
  if (problems.length === 0 && cert !== undefined && key !== undefined && !belongs(cert, key)) {
    problems.push('catalog_client_cert, catalog_client_key: the key does not belong to the certificate');
  }
  return { ...entry, ...texts };
}

/** @throws Error when one of the certificates in a PEM text is none, or there is none */
function readCertificates(pem: string): void {
  const blocks = pem.match(/-----BEGIN [\w ]*CERTIFICATE-----[^-]*-----END [\w ]*CERTIFICATE-----/g);
  if (blocks === null) throw new Error('it contains no PEM certificate');
  for (const block of blocks) new X509Certificate(block);
}

function belongs(cert: string, key: string): boolean {
  return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
}
