/**
 * The real thing, under fire: `npm run soak -- [--minutes 10] [--segments 4000] [--tables 24] [--seed …] [--no-spark]`.
 * See soak.ts for what happens; the last line says whether it held.
 */
import { createWriteStream, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCommandLine } from '../../local/command-line.ts';
import { installedFolder } from '../integration/services/services.ts';
import { reportSoak } from './report.ts';
import { soak } from './soak.ts';

const { values } = readCommandLine({
  allowNegative: true,
  options: {
    minutes: { type: 'string', default: '10' },
    segments: { type: 'string', default: '4000' },
    tables: { type: 'string', default: '24' },
    seed: { type: 'string', default: String(Date.now()) },
    spark: { type: 'boolean', default: true },
  },
});
const scratch = mkdtempSync(join(tmpdir(), 'iceberg-registrar-soak-'));
const logFolder = join(installedFolder, 'logs', `soak-${new Date().toISOString().replaceAll(':', '-')}`);
mkdirSync(logFolder, { recursive: true });
const log = createWriteStream(join(logFolder, 'soak.log'));
console.log(`seed ${values.seed}; what functions and engines say is in ${logFolder}`);

const minutes = Number(values.minutes);
const closing: (() => Promise<void>)[] = [];
try {
  const result = await soak({
    minutes,
    segments: Number(values.segments),
    tables: Number(values.tables),
    seed: values.seed,
    spark: values.spark,
    scratch,
    say: console.log,
    log: (text) => void log.write(text),
    onClose: (close) => void closing.push(close),
  });
  process.exitCode = reportSoak(result, minutes) ? 0 : 1;
} finally {
  for (const close of closing.toReversed()) await close();
  rmSync(scratch, { recursive: true, force: true });
  log.end();
}
