import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

/**
 * The import rule of ARCHITECTURE.md: functions, cli, local → wire → jobs → stages → spec; drivers → ports, errors, spec.
 * A later stage may take the types of an earlier one, never its code.
 */
const root = path.resolve(import.meta.dirname, '..');
const STAGES = ['event', 'route', 'segment', 'ledger', 'schema', 'append', 'commit', 'report'];
const LEAVES = ['counted', 'errors', 'memo', 'ports', 'spec', 'version'];

interface Import {
  readonly file: string;
  readonly target: string;
  readonly typeOnly: boolean;
}

describe('the import rule', () => {
  const files = ['functions', 'lib', 'cli', 'local'].flatMap(sourceFiles);
  const importsIn = (names: readonly string[]) =>
    names.flatMap((file) => importsOf(file, readFileSync(path.join(root, file), 'utf8')));
  const imports = importsIn(files);

  test('reads every source file', () => {
    expect(files.length).toBeGreaterThan(50);
    expect(imports.length).toBeGreaterThan(files.length);
  });

  test('holds for every import', () => {
    expect(imports.filter((one) => violation(one) !== undefined).map(describeViolation)).toEqual([]);
  });

  test('no module is part of an import cycle', () => {
    expect(cycles([...imports, ...importsIn(sourceFiles('infra'))])).toEqual([]);
  });

  test('no two folders of jobs need each other', () => {
    const isIn = (file: string) => file.startsWith('lib/jobs/') && path.dirname(file) !== 'lib/jobs';
    const folders = imports
      .filter(({ file, target }) => isIn(file) && isIn(target) && path.dirname(file) !== path.dirname(target))
      .map((one) => ({ ...one, file: path.dirname(one.file), target: path.dirname(one.target) }));
    expect(folders.length).toBeGreaterThan(10);
    expect(cycles(folders)).toEqual([]);
  });

  test.each<[string, string, string]>([
    [
      'a stage that calls an earlier one',
      'lib/append/stage.ts',
      `import { decodeEvent } from '../event/decode-event.ts';`,
    ],
    [
      'a stage that takes the types of a later one',
      'lib/event/x.ts',
      `import type { Segment } from '../segment/segment.ts';`,
    ],
    ['a stage that reads the environment', 'lib/route/x.ts', `import { wire } from '../wire.ts';`],
    ['a stage that uses a driver', 'lib/ledger/x.ts', `import { s3Store } from '../drivers/s3.ts';`],
    ['a job that uses a driver', 'lib/jobs/x.ts', `import { s3Store } from '../drivers/s3.ts';`],
    ['a driver that uses a job', 'lib/drivers/x.ts', `import { register } from '../jobs/register.ts';`],
    ['spec that knows a port', 'lib/spec/x.ts', `import type { Store } from '../ports.ts';`],
    [
      'the library that needs the embedded stack',
      'lib/wire.ts',
      `import { startStack } from '../local/stack.ts';`,
    ],
    [
      'a function that goes around the composition root',
      'functions/x.ts',
      `import { register } from '../lib/jobs/register/register.ts';`,
    ],
  ])('catches %s', (_, file, source) => {
    const [planted] = importsOf(file, source);
    expect(planted && violation(planted)).toBeTypeOf('string');
  });

  test('catches a cycle', () => {
    const planted = [
      ...importsOf('lib/spec/a.ts', `import { b } from './b.ts';`),
      ...importsOf('lib/spec/b.ts', `import { a } from './a.ts';`),
    ];
    expect(cycles(planted)).toEqual(['lib/spec/a.ts → lib/spec/b.ts → lib/spec/a.ts']);
  });
});

describe('the rules for files', () => {
  const files = ['functions', 'lib', 'cli', 'local'].flatMap(sourceFiles);

  test('no file is over 400 lines, and none is a drawer', () => {
    const long = files.filter((file) => readFileSync(path.join(root, file), 'utf8').split('\n').length > 400);
    expect(long).toEqual([]);
    expect(files.filter((file) => /(^|\/)(utils?|helpers?|common|misc|index)\.ts$/.test(file))).toEqual([]);
  });

  test('time, timers, randomness and the environment come in through ports and wire.ts alone', () => {
    const ambient =
      /\bDate\.now\b|new Date\(\)|\bsetTimeout\b|\bsetInterval\b|Math\.random|randomUUID|randomBytes|process\.env/;
    const guilty = files
      .filter((file) => file.startsWith('lib/') && file !== 'lib/wire.ts' && !file.startsWith('lib/drivers/'))
      .filter((file) => ambient.test(withoutComments(readFileSync(path.join(root, file), 'utf8'))));
    expect(guilty).toEqual([]);
  });

  test('functions are at most 30 lines', () => {
    const long = sourceFiles('functions').filter(
      (file) => readFileSync(path.join(root, file), 'utf8').trimEnd().split('\n').length > 30,
    );
    expect(long).toEqual([]);
  });
});

describe('package.json', () => {
  const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

  test('pins every dependency exactly', () => {
    const ranges = Object.entries({
      ...manifest.dependencies,
      ...manifest.devDependencies,
      ...manifest.optionalDependencies,
    }).filter(([, range]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(String(range)));
    expect(ranges).toEqual([]);
  });

  test('is of the release that the code names', () => {
    const source = readFileSync(path.join(root, 'lib/version.ts'), 'utf8');
    expect(source).toContain(`version = '${manifest.version}'`);
  });

  test('has a lock file without registry addresses and with every platform of chdb', () => {
    const lock = readFileSync(path.join(root, 'package-lock.json'), 'utf8');
    expect(lock).not.toMatch(/"resolved"/);
    for (const platform of ['darwin-arm64', 'darwin-x64', 'linux-arm64-gnu', 'linux-x64-gnu']) {
      expect(lock).toContain(`"node_modules/@chdb/lib-${platform}"`);
    }
  });
});

function sourceFiles(folder: string): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .sort();
}

function withoutComments(source: string): string {
  return source.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '');
}

function importsOf(file: string, source: string): Import[] {
  const found: Import[] = [];
  const pattern = /(?:^|\n)\s*(?:import|export)\s+(type\s+)?(?:([^'";]*?)\s+from\s+)?'(\.[^']+)'/g;
  for (const [, typeKeyword, clause, specifier] of withoutComments(source).matchAll(pattern)) {
    const named = /^\{([\s\S]*)\}$/.exec(clause?.trim() ?? '')?.[1];
    const allTypes =
      named
        ?.split(',')
        .filter((name) => name.trim() !== '')
        .every((name) => /^\s*type\s/.test(name)) ?? false;
    found.push({
      file,
      target: path.join(path.dirname(file), specifier ?? ''),
      typeOnly: typeKeyword !== undefined || allTypes,
    });
  }
  for (const [, specifier] of source.matchAll(/\bimport\(\s*'(\.[^']+)'\s*\)/g)) {
    found.push({ file, target: path.join(path.dirname(file), specifier ?? ''), typeOnly: false });
  }
  return found;
}

function place(file: string): string {
  const [top = '', second = ''] = file.split('/');
  return top === 'lib' ? second.replace(/\.ts$/, '') : top;
}

/** Why an import is forbidden; undefined when it is allowed. */
function violation({ file, target, typeOnly }: Import): string | undefined {
  const from = place(file);
  const to = place(target);
  if (from === to || (LEAVES.includes(to) && from !== 'spec' && from !== 'version' && from !== 'errors')) {
    return from === 'ports' && !['spec', 'errors'].includes(to)
      ? 'ports know errors and spec only'
      : undefined;
  }
  if (from === 'spec')
    return to === 'errors' || to === 'memo' || (typeOnly && to === 'ports' && target !== 'lib/ports.ts')
      ? undefined
      : 'spec is pure';
  if (LEAVES.includes(from)) return `${from} is a leaf`;
  const stage = STAGES.indexOf(from);
  if (stage >= 0) {
    if (typeOnly && STAGES.indexOf(to) >= 0 && STAGES.indexOf(to) < stage) return undefined;
    if (typeOnly && to === 'config') return undefined;
    return 'a stage calls no other stage';
  }
  if (from === 'config') return 'config knows errors and spec only';
  if (from === 'jobs') return STAGES.includes(to) || to === 'config' ? undefined : 'a job composes stages';
  if (from === 'drivers')
    return typeOnly && to === 'config' ? undefined : 'a driver knows ports, errors and spec';
  if (from === 'wire')
    return ['jobs', 'drivers', 'config', ...STAGES].includes(to) ? undefined : 'wire knows the library';
  if (from === 'functions') return to === 'wire' ? undefined : 'a function goes through wire.ts';
  if (from === 'cli')
    return ['wire', 'functions', 'jobs', 'local', 'config', ...STAGES].includes(to)
      ? undefined
      : 'a command calls a job';
  if (from === 'local')
    return ['wire', 'functions', 'jobs', 'drivers', 'config', ...STAGES].includes(to)
      ? undefined
      : 'local stands on the library';
  return `${from} is no place of this project`;
}

function describeViolation(one: Import): string {
  return `${one.file} imports ${one.target}: ${violation(one)}`;
}

function cycles(imports: readonly Import[]): string[] {
  const graph = Map.groupBy(
    imports.filter((one) => !one.typeOnly),
    (one) => one.file,
  );
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, trail: readonly string[]): void => {
    const at = trail.indexOf(file);
    if (at >= 0) {
      found.push([...trail.slice(at), file].join(' → '));
      return;
    }
    if (done.has(file)) return;
    for (const { target } of graph.get(file) ?? []) visit(target, [...trail, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return found;
}
