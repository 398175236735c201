/**
 * Ours, the floor and the peers side by side: `npm run bench -- [--cases small,1000] [--growth] [--quick] [--json FILE] [--write-docs]`.
 * Services and peers are started by it, in their own processes; the peers are installed first, which takes minutes the first time.
 * Exits non-zero when a figure is not reached or a contender fails; the last line is a summary.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCommandLine, refuse } from '../../local/command-line.ts';
import { install } from '../../test/integration/services/services.ts';
import { cases, quick } from './cases.ts';
import { buildRegister, type RegisterProgram } from './contenders/register-program.ts';
import { runFleet } from './fleet.ts';
import { runGrowth } from './growth.ts';
import { writeDocumentation } from './report/documentation.ts';
import { judgeCase, judgeFleet, judgeGrowth, judgeRequests } from './report/judge.ts';
import { machine } from './report/machine.ts';
import { sectionText, summaryText } from './report/report.ts';
import { holds, type Section } from './report/section.ts';
import { countRequests } from './requests.ts';
import { runCase } from './run-case.ts';

const { values: options } = readCommandLine({
  options: {
    cases: { type: 'string' },
    growth: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
    'write-docs': { type: 'boolean', default: false },
  },
});

if (options.quick && options['write-docs'])
  refuse('Cannot document a quick look: leave out --quick or --write-docs');

type Run = (register: RegisterProgram, say: (line: string) => void) => Promise<Section>;

const runs = new Map<string, Run>([
  ...cases
    .map((one) => (options.quick ? quick(one) : one))
    .map((one): [string, Run] => [
      one.id,
      async (register, say) => judgeCase(one, await runCase(one, register, say)),
    ]),
  ['fleet', async (register, say) => judgeFleet(await runFleet(options.quick ? 2 : 6, register, say))],
  ['requests', async (register) => judgeRequests(await countRequests(register))],
  ['growth', async (register, say) => judgeGrowth(await runGrowth(options.quick ? 10 : 110, register, say))],
]);
const wanted = options.growth
  ? ['growth']
  : (options.cases?.split(',') ?? [...runs.keys()].filter((id) => id !== 'growth'));
const unknown = wanted.filter((id) => !runs.has(id));
if (unknown.length > 0) {
  refuse(`Cannot run "${unknown.join(', ')}": the cases are ${[...runs.keys()].join(', ')}`);
}

// What was started ends with this process, but not with a signal to it.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

const scratch = mkdtempSync(join(tmpdir(), 'iceberg-registrar-bench-'));
const sections: Section[] = [];
const errors: string[] = [];
const startedMs = performance.now();
const say = (line: string): void =>
  console.error(`${((performance.now() - startedMs) / 60_000).toFixed(1)} min: ${line}`);
try {
  const [register] = await Promise.all([buildRegister(scratch), install('readers'), install('peers')]);
  for (const id of wanted) {
    try {
      const section = await runs.get(id)?.(register, say);
      if (section === undefined) continue;
      sections.push(section);
      console.log(`\n${sectionText(section)}`);
    } catch (error) {
      errors.push(`${id}: ${(error as Error).message}`);
      console.log(`\n${errors.at(-1)}`);
    }
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
if (options.json !== undefined)
  writeFileSync(options.json, JSON.stringify({ machine: machine(), sections }, undefined, 2));
if (options['write-docs']) writeDocumentation(machine(), sections);
if (errors.length > 0 || sections.some(({ figures }) => !figures.every(holds))) process.exitCode = 1;
console.log(`\n${summaryText(sections, errors)}`);
