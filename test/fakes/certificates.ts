import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A certificate with its key: PEM texts, and the files they lie in. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
  readonly certFile: string;
  readonly keyFile: string;
}

export interface Authority extends Certificate {
  /** Signs a certificate for `localhost` and 127.0.0.1, or for the names that are given. */
  sign(options?: {
    readonly names?: string;
    readonly expired?: boolean;
    readonly client?: boolean;
  }): Certificate;
}

/** Certificate authorities of a test, made by openssl, in a folder that ends with `remove`. */
export function makeAuthorities(): { authority(): Authority; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'iceberg-registrar-pki-'));
  let count = 0;
  const openssl = (...args: readonly string[]) =>
    execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });

  function newKey(): { readonly name: string; readonly keyFile: string; readonly certFile: string } {
    count += 1;
    const name = `certificate-${count}`;
    openssl('ecparam', '-genkey', '-name', 'prime256v1', '-noout', '-out', `${name}.key`);
    return { name, keyFile: join(folder, `${name}.key`), certFile: join(folder, `${name}.pem`) };
  }

  function read(files: { readonly keyFile: string; readonly certFile: string }): Certificate {
    const { keyFile, certFile } = files;
    return { keyFile, certFile, key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certFile, 'utf8') };
  }

  return {
    authority() {
      const ca = newKey();
      const subject = ['-subj', `/CN=${ca.name}`];
      openssl('req', '-x509', '-new', '-key', ca.keyFile, ...subject, '-days', '2', '-out', ca.certFile);
      return {
        ...read(ca),
        sign({ names = 'DNS:localhost,IP:127.0.0.1', expired = false, client = false } = {}) {
          const leaf = newKey();
          const usage = client ? 'clientAuth' : 'serverAuth';
          writeFileSync(
            join(folder, `${leaf.name}.ext`),
            `subjectAltName=${names}\nextendedKeyUsage=${usage}\n`,
          );
          openssl(
            'req',
            '-new',
            '-key',
            leaf.keyFile,
            '-subj',
            `/CN=${leaf.name}`,
            '-out',
            `${leaf.name}.csr`,
          );
          const signed = ['-CA', ca.certFile, '-CAkey', ca.keyFile, '-CAcreateserial'];
          const days = ['-days', expired ? '-1' : '2', '-extfile', `${leaf.name}.ext`];
          openssl('x509', '-req', '-in', `${leaf.name}.csr`, ...signed, ...days, '-out', leaf.certFile);
          return read(leaf);
        },
      };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
