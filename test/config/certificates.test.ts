import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../lib/config/load-config.ts';
import { type Authority, type Certificate, makeAuthorities } from '../fakes/certificates.ts';

let authorities: ReturnType<typeof makeAuthorities>;
let ca: Authority;
let client: Certificate;
let stranger: Certificate;
beforeAll(() => {
  authorities = makeAuthorities();
  ca = authorities.authority();
  client = ca.sign({ client: true });
  stranger = ca.sign({ client: true });
});
afterAll(() => authorities.remove());

const unread = async () => {
  throw new Error('not expected');
};

async function load(
  settings: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>> = {},
) {
  const config = { url: 's3://lake', namespace: 'n', catalog_uri: 'https://catalog.example', ...settings };
  const { entries } = await loadConfig(
    { REGISTRAR_CONFIG: JSON.stringify(config) },
    {
      readFile: unread,
      readCertificate: async (path) => {
        const text = files[path];
        if (text === undefined) throw new Error(`ENOENT: no such file or directory, open '${path}'`);
        return text;
      },
      readObject: unread,
      resolveSecret: unread,
    },
  );
  return entries[0];
}

describe('loadConfig', () => {
  test('reads the files of certificates and key once, at the start', async () => {
    const files = { 'ca.pem': ca.cert, 'c.pem': client.cert, 'k.pem': client.key };
    const settings = { catalog_ca_file: 'ca.pem', catalog_client_cert: 'c.pem', catalog_client_key: 'k.pem' };
    expect(await load(settings, files)).toMatchObject({
      catalog_ca_file: ca.cert,
      catalog_client_cert: client.cert,
      catalog_client_key: client.key,
    });
  });

  test('takes the text of a certificate in the place of its path', async () => {
    expect(await load({ catalog_ca_file: ca.cert })).toMatchObject({ catalog_ca_file: ca.cert });
  });

  test.each([
    ['missing', {}, 'ENOENT'],
    ['empty', { 'ca.pem': ' \n' }, 'is empty'],
    ['no certificate', { 'ca.pem': 'hello' }, 'contains no PEM certificate'],
    [
      'broken',
      { 'ca.pem': '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n' },
      'cannot be used',
    ],
  ])('refuses a CA file that is %s, naming it', async (_, files, problem) => {
    await expect(load({ catalog_ca_file: 'ca.pem' }, files)).rejects.toMatchObject({
      code: 'config.invalid',
      message: expect.stringMatching(new RegExp(`catalog_ca_file: the file "ca.pem".*${problem}`)),
    });
  });

  test('leaves paths and secrets alone where a deployment has neither', async () => {
    const config = {
      url: 's3://lake',
      namespace: 'n',
      catalog_uri: 'https://catalog.example',
      catalog_ca_file: '/var/task/ca.pem',
      catalog_client_cert: '/var/task/client.pem',
      catalog_client_key: `\${secretsmanager:lake/key}`,
    };
    const readers = { readFile: unread, readObject: unread, resolveSecret: async () => 'unread' };
    const { entries } = await loadConfig({ REGISTRAR_CONFIG: JSON.stringify(config) }, readers);
    expect(entries[0]).toMatchObject({ catalog_ca_file: '/var/task/ca.pem', catalog_client_key: 'unread' });
  });

  test('refuses a key that does not belong to the certificate, and never shows it', async () => {
    const settings = { catalog_client_cert: client.cert, catalog_client_key: stranger.key };
    const error = await load(settings).catch((thrown: Error) => thrown);
    expect(error).toMatchObject({
      code: 'config.invalid',
      message: expect.stringContaining('does not belong'),
    });
    expect(String(error)).not.toContain(stranger.key.split('\n')[1]);
  });

  test('never shows a key that is no PEM text and is taken for a path', async () => {
    const secret = Buffer.from(client.key).toString('base64');
    const written = { catalog_client_cert: client.cert, catalog_client_key: secret };
    const error = await load(written).catch((thrown: Error) => thrown);
    expect(error).toMatchObject({
      code: 'config.invalid',
      message: expect.stringContaining(
        'catalog_client_key: the file that it names cannot be read; it must be PEM text',
      ),
    });
    expect(String(error)).not.toContain(secret.slice(0, 20));
  });

  test('never shows a certificate that came from a secret', async () => {
    const config = {
      url: 's3://lake',
      namespace: 'n',
      catalog_uri: 'https://catalog.example',
      catalog_client_cert: `\${secretsmanager:lake/cert}`,
    };
    const failing = async (path: string) => {
      throw new Error(`ENAMETOOLONG: open '${path}'`);
    };
    const error = await loadConfig(
      { REGISTRAR_CONFIG: JSON.stringify(config) },
      {
        readFile: unread,
        readObject: unread,
        resolveSecret: async () => 'right-token',
        readCertificate: failing,
      },
    ).catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ code: 'config.invalid' });
    expect(String(error)).not.toContain('right-token');
  });
});
