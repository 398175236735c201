import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { elsewhere, isWalked } from './elsewhere.ts';
import { commands as fenced, inlineCommands, pages, root } from './fences.ts';

/** What the documentation names is there: commands, options, npm scripts, links. */
const lines = pages.flatMap((page) =>
  readFileSync(path.join(root, page), 'utf8')
    .split('\n')
    .map((text) => ({ page, text })),
);

function run(args: readonly string[]) {
  return spawnSync(process.execPath, ['cli/main.mjs', ...args], {
    cwd: root,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
  });
}

const helps = new Map<string, string>();
function helpOf(words: readonly string[]): string {
  const key = words.join(' ');
  const known = helps.get(key) ?? run([...words, '--help']).stdout;
  helps.set(key, known);
  return known;
}

/** `repair --replace`: commands of ours that are named, not typed. */
const named = lines.flatMap(({ page, text }) =>
  [...text.matchAll(/`([a-z]+ [^`…]*--[^`…]+)`/g)].flatMap(([, code = '']) => {
    const words = code.split(' ');
    return new RegExp(`^ {2}${words[0]}\\b`, 'm').test(helpOf([])) ? [{ page, words }] : [];
  }),
);

describe('the documentation', () => {
  test('names commands', () => {
    expect(named.length).toBeGreaterThan(5);
  });

  test.each(named.map(({ page, words }) => [page, words.join(' ')] as const))(
    '%s: iceberg-registrar %s exists, with its options',
    (_, line) => {
      const words = line.split(' ');
      const [name = '', second = ''] = words;
      const isNested = new RegExp(`^ {2}${second} ?\\[?`, 'm').test(
        helpOf([name]).split('Commands:')[1] ?? '',
      );
      const help = helpOf(isNested ? [name, second] : [name]);
      for (const option of words.filter((word) => word.startsWith('--'))) expect(help).toContain(option);
    },
  );

  /** Ours are walked (`walk.test.ts`). */
  const others = new Set(
    [...fenced, ...inlineCommands]
      .flatMap(({ command }) => (command.startsWith('for ') ? [command] : command.split(' && ')))
      .filter((command) => !isWalked(command)),
  );

  test('has no command of which it is not known who runs it', () => {
    expect([...others].sort()).toEqual(Object.keys(elsewhere).sort());
  });

  test.each(Object.entries(elsewhere))('%s is run, or its options are read', (command, { file, text }) => {
    const source = readFileSync(path.join(root, file), 'utf8');
    const wanted = text ?? [...command.matchAll(/ --([a-z]\S*)/g)].map(([, option = '']) => option);
    expect([wanted].flat().filter((part) => !source.includes(part))).toEqual([]);
  });

  test('names npm scripts that there are', () => {
    const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const named = lines.flatMap(({ text }) =>
      [...text.matchAll(/npm run (?:--silent )?([a-z]+(?::[a-z]+)*)/g)].flatMap((match) => match[1] ?? []),
    );
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  });

  test('links to pages and headings that there are', () => {
    const broken = lines.flatMap(({ page, text }) =>
      [
        ...text
          .replaceAll(/`[^`]*`/g, '')
          .matchAll(/\]\((?!https?:)((?:[^)#\s]*[./][^)#\s]*)?)(?:#([^)\s]+))?\)/g),
      ].flatMap(([link, file = '', heading]) => {
        const target = file === '' ? page : path.join(path.dirname(page), file);
        if (file === '' && heading === undefined) return [];
        if (heading !== undefined && target.endsWith('.md'))
          return headings(target).includes(heading) ? [] : [`${page}: ${link}`];
        return exists(target) ? [] : [`${page}: ${link}`];
      }),
    );
    expect(broken).toEqual([]);
  });
});

function exists(file: string): boolean {
  try {
    readFileSync(path.join(root, file));
    return true;
  } catch (error) {
    return (error as { code?: string }).code === 'EISDIR';
  }
}

/** As GitHub names them, and places that have a name of their own. */
function headings(page: string): readonly string[] {
  if (!exists(page)) return [];
  const text = readFileSync(path.join(root, page), 'utf8');
  const named = [...text.matchAll(/^<a id="([^"]+)"><\/a>$/gm)].map(([, id = '']) => id);
  const titled = [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return [...named, ...titled];
}
