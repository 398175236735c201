import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runCli } from './run.ts';

const root = path.resolve(import.meta.dirname, '../..');
const ANSWERS = ['--url', 's3://lake/in', '--catalog-uri', 'https://catalog.example.com', '--namespace', 'a'];
const ON_TERMINAL = 'data:text/javascript,process.stdin.isTTY=process.stderr.isTTY=true';
const STDERR_IN_FILE = 'data:text/javascript,process.stdin.isTTY=true';

const folder = () => mkdtempSync(path.join(tmpdir(), 'init-'));

test.each([
  ['Ctrl-C', ON_TERMINAL, '\u0003'],
  ['Ctrl-D', ON_TERMINAL, '\u0004'],
  ['Ctrl-D, the questions written to a file', STDERR_IN_FILE, ''],
])('init ends without a word at %s, writes nothing and exits 130', async (_, terminal, key) => {
  const dir = folder();
  const child = spawn(process.execPath, ['--import', terminal, 'cli/main.mjs', 'init', '--dir', dir], {
    cwd: root,
    env: { PATH: process.env['PATH'] },
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (text.includes('?')) child.stdin.end(key);
  });
  const [code] = await once(child, 'close');
  expect(said.split('?')[1]).not.toMatch(/Error|Warning|\n./);
  expect(code).toBe(130);
  expect(readdirSync(dir)).toEqual([]);
});

test.each(['', '/below'])(
  'init says that it cannot write to a file%s, without a stack trace',
  async (below) => {
    const file = path.join(folder(), 'a-file');
    writeFileSync(file, '');
    const { status, stderr } = await runCli(['init', ...ANSWERS, '--dir', `${file}${below}`], {});
    expect(status).toBe(1);
    expect(stderr).toBe(
      `config.invalid: Cannot write to "${file}${below}": a file is where a folder should be; choose another --dir\n`,
    );
  },
);

test.each([
  [['--stage', 'My Stage!'], 'name a deployment "My Stage!": --stage must be 1 to 20 of a-z, 0-9 and -'],
  [['--url', 'gs://lake/in', '--stage', 'a-stage-of-google'], 'must be 1 to 15 of'],
  [['--project', 'mine'], 'deploy in project "mine" on AWS: leave out --project'],
])('init refuses at once what could not be deployed: %j', async (args, problem) => {
  const dir = folder();
  const { status, stderr } = await runCli(['init', ...ANSWERS, ...args, '--dir', dir], {});
  expect(status).toBe(1);
  expect(stderr).toContain(problem);
  expect(readdirSync(dir)).toEqual([]);
});
