import { createPrivateKey, X509Certificate } from 'node:crypto';
import { messageOf } from '../errors.ts';
import type { RawSettings } from './document.ts';
import type { Entry } from './entry.ts';

type Setting = 'catalog_ca_file' | 'catalog_client_cert' | 'catalog_client_key';

const kinds: readonly (readonly [Setting, (pem: string) => unknown])[] = [
  ['catalog_ca_file', readCertificates],
  ['catalog_client_cert', readCertificates],
  ['catalog_client_key', createPrivateKey],
];

/**
 * The entry with the text of its certificates in place of their paths. A missing, unreadable, empty or invalid certificate
 * becomes a problem at start, since at the first connection it would be a puzzle, and an empty CA file must never mean the
 * platform's CAs.
 *
 * @param written the settings before references were resolved: a value that came from a secret is never quoted (I10)
 */
export async function readCertificateFiles(
  entry: Entry,
  written: RawSettings,
  readFile: (path: string) => Promise<string>,
  problems: string[],
): Promise<Entry> {
  const texts: Partial<Record<Setting, string>> = {};
  for (const [setting, parse] of kinds) {
    const value = entry[setting];
    if (value === undefined) continue;
    const isText = value.includes('-----BEGIN');
    const isQuoted = setting !== 'catalog_client_key' && written[setting] === value;
    const what = isText ? setting : `${setting}: the file ${isQuoted ? `"${value}"` : 'that it names'}`;
    let text = value;
    try {
      if (!isText) text = await readFile(value);
    } catch (error) {
      // Node's message quotes the path, which is the secret itself where that is no PEM text.
      const why = isQuoted ? `: ${messageOf(error)}` : '; it must be PEM text, or the path of a file with it';
      problems.push(`${what} cannot be read${why}`);
      continue;
    }
    try {
      if (text.trim() === '') problems.push(`${what} is empty`);
      else parse(text);
      texts[setting] = text;
    } catch (error) {
      problems.push(`${what} cannot be used: ${messageOf(error)}`);
    }
  }
  const { catalog_client_cert: cert, catalog_client_key: key } = texts;
  if (problems.length === 0 && cert !== undefined && key !== undefined && !belongs(cert, key)) {
    problems.push('catalog_client_cert, catalog_client_key: the key does not belong to the certificate');
  }
  return { ...entry, ...texts };
}

/** Checks that a PEM text consists of certificates. @throws Error when it contains none, or one that is not valid */
function readCertificates(pem: string): void {
  const blocks = pem.match(/-----BEGIN [\w ]*CERTIFICATE-----[^-]*-----END [\w ]*CERTIFICATE-----/g);
  if (blocks === null) throw new Error('it contains no PEM certificate');
  for (const block of blocks) new X509Certificate(block);
}

function belongs(cert: string, key: string): boolean {
  return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
}
