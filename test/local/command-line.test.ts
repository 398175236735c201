import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

function run(file: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...args], {
    cwd: root,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

describe('readCommandLine', () => {
  test.each([
    ...['certify', 'bench', 'bench:backfill', 'bench:cold', 'storm', 'simulate', 'soak', 'fuzz'],
    ...['deploy:local', 'smoke'],
  ])('npm run %s refuses an option in one line, with the options it has', (name) => {
    const file = scripts[name]?.split(' ').at(-1) ?? '';
    const { status, stdout, stderr } = run(file, '--nope');
    expect(stderr).toMatch(/^config\.invalid: Cannot start: .*"--nope"; the options are --\w.*\n$/);
    expect(stdout).toBe('');
    expect(status).toBe(1);
  });

  test.each([
    [['--runs'], 'Option "--runs <value>" argument missing'],
    [['many'], 'Unexpected argument "many"'],
  ])('refuses %j in one line', (args, problem) => {
    expect(run('test/fuzz/run.ts', ...args)).toEqual({
      status: 1,
      stdout: '',
      stderr: `config.invalid: Cannot start: ${problem}; the options are --runs, --seed\n`,
    });
  });
});

test.each([
  ['certify/main.ts', '--engines', 'Cannot certify "nope": known are PyIceberg'],
  ['bench/side-by-side/main.ts', '--cases', 'Cannot run "nope": the cases are small'],
])('%s refuses what is unknown to it in one line', (file, option, problem) => {
  const { status, stderr } = run(file, option, 'nope');
  expect(stderr).toMatch(/^.*\n$/);
  expect(stderr).toContain(`config.invalid: ${problem}`);
  expect(status).toBe(1);
});
