import { execFileSync, spawnSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const print = (shell: string) =>
  execFileSync(process.execPath, ['cli/main.mjs', 'completion', shell], { cwd: root, encoding: 'utf8' });
const scripts = new Map(['bash', 'zsh', 'fish'].map((shell) => [shell, print(shell)]));
const script = (shell: string): string => scripts.get(shell) ?? '';

/** What bash offers after these words, asked of bash itself. */
function offered(...words: readonly string[]): readonly string[] {
  const line = ['iceberg-registrar', ...words].map((word) => `'${word}'`).join(' ');
  const ask = `${script('bash')}\nCOMP_WORDS=(${line}); COMP_CWORD=${words.length}; _iceberg_registrar; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', ask], { encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.split('\n').filter((word) => word !== '');
}

describe('iceberg-registrar completion', () => {
  test('offers commands, their subcommands, choices and options', () => {
    expect(offered('sta')).toEqual(['status']);
    expect(offered('quarantine', 're')).toEqual(['redrive']);
    expect(offered('invoke', 're')).toContain('register');
    expect(offered('status', '--h')).toEqual(['--html', '--help']);
    expect(offered('init', 'notifications', '--a')).toEqual(['--apply']);
  });

  test('offers what help is for, the values of an option, and options again after them', () => {
    expect(offered('help', 'sta')).toEqual(['status']);
    expect(offered('help', 'quarantine', 'sh')).toEqual(['show']);
    expect(offered('init', '--layout', 'ka')).toEqual(['kafka-connect']);
    expect(offered('init', '--cloud', '')).toEqual(['aws', 'google']);
    expect(offered('init', '--layout', 'spark', '--fo')).toEqual(['--force']);
    // Left to bash, which offers files.
    expect(offered('init', '--dir', '')).toEqual([]);
  });

  test('offers files where a file is meant', () => {
    expect(offered('explain', 'events/a.json', 'package.j')).toEqual([]);
  });

  test('is known to zsh and fish too', () => {
    expect(script('zsh')).toContain('bashcompinit');
    expect(script('fish')).toMatch(/ -l layout -x -a 'kafka-connect .*'$/m);
    expect(script('fish')).toContain("-n '__fish_seen_subcommand_from help' -a status");
    expect(script('fish')).toContain("complete -c iceberg-registrar -n '__fish_use_subcommand' -a status");
  });
});
