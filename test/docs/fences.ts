import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '../..');

export const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'ARCHITECTURE.md',
  ...readdirSync(path.join(root, 'docs'))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
];

/** A fenced block of a page. Without a language it is of commands; `text` is a sample of what is printed. */
export interface Fence {
  readonly page: string;
  readonly language: string;
  readonly text: string;
}

const FENCE = /^( *)```(\w*)\n(.*?)^ *```$/gms;

export const fences: readonly Fence[] = pages.flatMap((page) =>
  [...readFileSync(path.join(root, page), 'utf8').matchAll(FENCE)].map(
    ([, indent = '', language = '', text = '']) => ({
      page,
      language,
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  ),
);

export interface Command {
  readonly page: string;
  /** As it is typed: lines that a backslash joins are one, comments are left out. */
  readonly command: string;
}

/** Commands in the order in which a reader types them. */
export const commands: readonly Command[] = fences
  .filter(({ language }) => language === '')
  .flatMap(({ page, text }) =>
    text
      .replaceAll(/\\\n\s*/g, '')
      .split('\n')
      .map((line) => ({ page, command: line.replace(/(^|\s)#.*$/, '').trim() }))
      .filter(({ command }) => command !== ''),
  );

const BEGINS_A_COMMAND =
  /^(?:[A-Z_]+=\S+ )*(?:npx|npm|node|aws|gcloud|terraform|docker|pip|curl|git|cd|export) |^\.ci\//;

/** Commands that stand within sentences, as `code`. */
export const inlineCommands: readonly Command[] = pages.flatMap((page) =>
  [
    ...readFileSync(path.join(root, page), 'utf8')
      .replaceAll(FENCE, '')
      .matchAll(/`([^`\n]+)`/g),
  ]
    .map(([, command = '']) => ({ page, command: command.replaceAll('\\|', '|') }))
    .filter(({ command }) => BEGINS_A_COMMAND.test(command) && !command.endsWith('…')),
);

/** The only block of a language on a page, or the one with `part` in it. */
export function sample(page: string, language: string, part = ''): string {
  const found = fences.filter(
    (fence) => fence.page === page && fence.language === language && fence.text.includes(part),
  );
  if (found.length !== 1) throw new Error(`${page} has ${found.length} ${language} blocks with "${part}"`);
  return found[0]?.text ?? '';
}
