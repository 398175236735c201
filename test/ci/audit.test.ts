import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A registry that answers audits with these advisories, or with 405 if there are none to answer with. It keeps the names that it was asked about. */
async function registry(advisories?: Readonly<Record<string, readonly unknown[]>>) {
  const asked = new Set<string>();
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request));
    if (advisories === undefined || request.url !== '/-/npm/v1/security/advisories/bulk')
      return void response.writeHead(405).end();
    const plain = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
    for (const name of Object.keys(JSON.parse(plain.toString()) as object)) asked.add(name);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(advisories));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked };
}

function audit(url: string): Promise<{ readonly code: unknown; readonly said: string }> {
  const script = join(import.meta.dirname, '../../.ci/audit');
  // npm remembers advisories.
  const npm_config_cache = mkdtempSync(join(tmpdir(), 'audit-'));
  closing.push(() => rmSync(npm_config_cache, { recursive: true }));
  const env = {
    ...process.env,
    npm_config_registry: url,
    npm_config_cache,
    npm_config_fetch_retries: '0',
  };
  return new Promise((resolve) => {
    execFile(script, { env }, (error, stdout) => resolve({ code: error?.code ?? 0, said: stdout }));
  });
}

const advisory = (severity: string) => [
  { id: 1, url: 'https://example.com/1', title: 'a hole', severity, vulnerable_versions: '*' },
];

describe('.ci/audit', { timeout: 60_000 }, () => {
  test('fails where a dependency of the functions has a vulnerability of level high', async () => {
    const { url, asked } = await registry({ undici: advisory('high') });
    expect(await audit(url)).toMatchObject({ code: 1, said: expect.stringContaining('"high":1') });
    expect(asked).toContain('undici');
  });

  test('passes where there is none so grave', async () => {
    const { url } = await registry({ undici: advisory('moderate') });
    expect(await audit(url)).toMatchObject({ code: 0, said: expect.stringContaining('"moderate":1') });
  });

  test('says that it was not run where the registry answers no audit', async () => {
    const { url } = await registry();
    expect(await audit(url)).toEqual({ code: 0, said: 'NOT RUN: the registry answers no audit\n' });
  });
});
