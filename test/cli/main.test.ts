import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import { run as runHere } from '../../cli/program.ts';
import { describeSettings } from '../../lib/config/setting-descriptions.ts';
import { version } from '../../lib/version.ts';

const root = path.resolve(import.meta.dirname, '../..');

function run(
  args: readonly string[],
  nodeOptions: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...nodeOptions, 'cli/main.mjs', ...args], {
    cwd: root,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], ...environment },
  });
  return { status, stdout, stderr };
}

describe('the command line', () => {
  test('says in one line which Node it needs, before anything else', () => {
    const older = 'data:text/javascript,Object.defineProperty(process.versions,"node",{value:"20.20.2"})';
    const { status, stdout, stderr } = run(['demo'], ['--import', older]);
    expect(status).toBe(1);
    expect(stdout).toBe('');
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/needs Node 24 .* this is Node 20\.20\.2/),
    ]);
  });

  test('demo says on which platforms its reader runs, where it is not installed', () => {
    const without = `data:text/javascript,import { registerHooks } from 'node:module';
      registerHooks({ resolve(name, context, next) { if (name === 'chdb') throw new Error('absent'); return next(name, context); } });`;
    const { status, stderr } = run(['demo'], ['--import', without.replaceAll('\n', ' ')]);
    expect(status).toBe(1);
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^config\.invalid: Cannot read the tables back on ".*Linux and macOS/),
    ]);
  });

  test('--help lists every command', () => {
    const { status, stdout } = run(['--help']);
    expect(status).toBe(0);
    for (const command of ['demo', 'explain', 'inspect', 'invoke', 'plan', 'settings']) {
      expect(stdout).toContain(`  ${command} `);
    }
  });

  test('--help of each command has examples and exit codes, and there is --json', async () => {
    const helpOf = async (...words: readonly string[]) => {
      const printed: string[] = [];
      const spy = vi
        .spyOn(process.stdout, 'write')
        .mockImplementation((text) => printed.push(String(text)) > 0);
      await runHere([...['node', 'iceberg-registrar'], ...words, '--help']);
      spy.mockRestore();
      return printed.join('');
    };
    const below = (help: string) =>
      [...(help.split('Commands:')[1] ?? '').matchAll(/^ {2}([a-z]+)/gm)]
        .map(([, name = '']) => name)
        .filter((name) => name !== 'help');
    const names = below(await helpOf());
    expect(names).toHaveLength(14);
    for (const name of names) {
      const help = await helpOf(name);
      const nested = name === 'quarantine' ? below(help) : [];
      const all = nested.length > 0 ? nested.map((one) => [name, one]) : [[name]];
      for (const words of all) {
        const text = await helpOf(...words);
        expect(text, words.join(' ')).toContain('\nExamples:\n');
        expect(text, words.join(' ')).toContain('\nExit codes: 0 ');
        // A script for a shell is no data.
        if (name !== 'completion') expect(text, words.join(' ')).toContain('--json');
      }
    }
  });

  test('prints an error without what would steer the terminal: others’ words may be in it', () => {
    const { status, stderr } = run(['doctor'], [], { REGISTRAR_CONFIG: 'a\u001b[2Jb\u009b1m.yaml' });
    expect(status).toBe(1);
    expect(stderr).toContain('"a\\u{1b}[2Jb\\u{9b}1m.yaml"');
    expect(stderr).not.toMatch(/[\p{Cc}--\n]/v);
  });

  test('settings has every key and default whole, and fits a terminal', () => {
    const { stdout } = run(['settings']);
    for (const { name, default: standard = '' } of describeSettings()) {
      expect(stdout).toContain(` ${name} `);
      expect(stdout).toContain(standard);
    }
    const terminal = 'data:text/javascript,process.stdout.isTTY=true;process.stdout.columns=40';
    const lines = stripVTControlCharacters(run(['settings'], ['--import', terminal]).stdout).split('\n');
    expect(lines.filter((line) => line.length > 40)).toEqual([]);
  });

  test('--version prints the release', () => {
    const { status, stdout } = run(['--version']);
    expect(status).toBe(0);
    expect(stdout).toBe(`${version}\n`);
  });

  test.each([
    ...['backfill', 'completion', 'demo', 'doctor', 'explain', 'init', 'inspect', 'invoke', 'plan'],
    ...['reconcile', 'repair', 'settings', 'status', 'init notifications'],
    ...['list', 'show', 'redrive', 'discard'].map((name) => `quarantine ${name}`),
  ])('%s --help has examples to copy and says what its exit codes mean', (command) => {
    const { status, stdout } = run([...command.split(' '), '--help']);
    expect(status).toBe(0);
    expect(stdout).toContain(`iceberg-registrar ${command}`);
    expect(stdout).toMatch(/\nExamples:\n.*iceberg-registrar[\s\S]*\nExit codes: 0/);
  });

  test.each(['help statu', 'statu --help', 'statu'])(
    '%s names the command that may have been meant',
    (typed) => {
      expect(run(typed.split(' '))).toEqual({
        status: 1,
        stdout: '',
        stderr: "error: unknown command 'statu'\n(Did you mean status?)\n(add --help to see usage)\n",
      });
    },
  );

  test.each([
    ['help quarantine list', 0, 'Usage: iceberg-registrar quarantine list '],
    ['quarantine help list', 0, 'Usage: iceberg-registrar quarantine list '],
    ['help', 0, 'Usage: iceberg-registrar [options] [command]'],
    ['help quarantine lst', 1, "unknown command 'lst'\n(Did you mean list?)"],
  ])('%s shows the help of what it names', (typed, code, text) => {
    const { status, stdout, stderr } = run(typed.split(' '));
    expect(status).toBe(code);
    expect(code === 0 ? stdout : stderr).toContain(text);
  });

  test.each([
    [['nonsense'], 'unknown command'],
    [['explain'], 'missing required argument'],
    [['quarantine', 'show'], '(add --help to see usage)'],
    [['status'], 'set REGISTRAR_CONFIG to a file'],
    [['explain', 'absent.json'], 'absent.json'],
    [['inspect', 'absent.parquet'], 'absent.parquet'],
    [['invoke', 'deploy', 'x.json'], 'Allowed choices are register, route'],
    [['invoke', 'register', 'absent.json'], 'absent.json'],
  ])('exits non-zero for %j and says why, without a stack trace', (args, message) => {
    const { status, stderr } = run(args);
    expect(status).not.toBe(0);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('    at ');
  });
});
