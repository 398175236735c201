import type { Entry } from '../config/entry.ts';
import { RegistrarError } from '../errors.ts';
import type { Clock } from '../ports.ts';
import { formatIdentifier } from '../spec/table-identifier.ts';
import { readTableMetadata } from '../spec/table-metadata.ts';
import type { EntryPorts } from './register/register-ports.ts';

/** One thing that was looked at, and what to change where it is not right. */
export interface Finding {
  /** Of the configuration, from 1. */
  readonly entry: number;
  readonly check:
    | 'catalog'
    | 'authentication'
    | 'creation'
    | 'table'
    | 'segments'
    | 'quarantine'
    | 'clock'
    | 'arrivals'
    | 'registrations';
  readonly state: 'ok' | 'warning' | 'failed' | 'not checked';
  readonly found: string;
  readonly wayOut?: string;
}

/** What a queue of ours must be. */
export interface QueueSetup {
  readonly fifo: boolean;
  readonly visibilitySeconds: number;
  readonly maxReceiveCount: number | undefined;
}

export interface DoctorPorts {
  readonly entries: readonly Entry[];
  readonly portsOf: (entry: Entry) => EntryPorts;
  readonly clock: Clock;
  readonly queueSetup: (queueUrl: string) => Promise<QueueSetup>;
}

type Check = Finding['check'];
type Found = Omit<Finding, 'entry' | 'check'>;

/** What the function's own timeout is: a message must stay invisible for longer. */
const FUNCTION_SECONDS = 60;
/** The ledger allows for so much (design, "Exactly once"); AWS refuses signatures beyond it. */
const MOST_SKEW_MS = 15 * 60_000;
const NOTABLE_SKEW_MS = 60_000;

/**
 * Checks the configuration against the living services. It writes one small object below `quarantine_url`, a record that answers nothing,
 * to see whether it can; it changes nothing else.
 *
 * @param tableName a table of the entries' namespaces to load
 */
export async function examine(ports: DoctorPorts, tableName?: string): Promise<readonly Finding[]> {
  const findings = await Promise.all(
    ports.entries.map(async (entry, at) =>
      (await examineEntry(entry, ports, tableName)).map((finding) => ({ entry: at + 1, ...finding })),
    ),
  );
  return findings.flat();
}

async function examineEntry(
  entry: Entry,
  ports: DoctorPorts,
  tableName: string | undefined,
): Promise<readonly Omit<Finding, 'entry'>[]> {
  const services = ports.portsOf(entry);
  const look = async (check: Check, examination: () => Promise<Found>) => ({
    check,
    ...(await examination().catch(asFound)),
  });

  const catalog = await look('catalog', () => examineCatalog(entry, services));
  const reached = catalog.state === 'ok';
  const behind = (check: Check, examination: () => Promise<Found>) =>
    look(check, reached ? examination : async () => notChecked('the catalog was not reached'));
  return [
    catalog,
    ...(await Promise.all([
      behind('authentication', () => examineAuthentication(entry, services)),
      behind('creation', () => examineCreation(entry, services)),
      ...(tableName === undefined ? [] : [behind('table', () => examineTable(entry, services, tableName))]),
      look('segments', () => examineSegments(entry, services)),
    ])),
    ...(await examineQuarantine(entry, services, ports.clock, look)),
    ...(await Promise.all([
      look('arrivals', () => examineQueue(entry.queues.arrivals, false, ports)),
      look('registrations', () => examineQueue(entry.queues.registrations, true, ports)),
    ])),
  ];
}

async function examineCatalog({ catalog_uri }: Entry, { catalog }: EntryPorts): Promise<Found> {
  await catalog.supports('commit');
  return ok(`${catalog_uri} answers as an Iceberg REST catalog`);
}

/** A configuration may be open to everybody: only a load shows who is let in. */
async function examineAuthentication({ namespace }: Entry, { catalog }: EntryPorts): Promise<Found> {
  await catalog.load({ namespace, name: 'iceberg-registrar-doctor' });
  return ok(`namespace "${namespace.join('.')}" may be looked at`);
}

async function examineCreation(entry: Entry, { catalog }: EntryPorts): Promise<Found> {
  if (!entry.create_table) return ok('create_table is false: tables are made by others');
  const supported = await Promise.all(
    (['register', 'commit', 'create'] as const).map(
      async (way) => [way, await catalog.supports(way)] as const,
    ),
  );
  const ways = supported.filter(([, supports]) => supports !== false).map(([way]) => way);
  const listed = supported.some(([, supports]) => supports !== undefined);
  const wanted = entry.create_via;
  if (wanted !== 'auto' && !ways.includes(wanted)) {
    return failed(`the catalog does not list "${wanted}"`, `set create_via to ${ways.join(' or ')}, or auto`);
  }
  return ok(
    `create_via "${wanted}"; the catalog ${listed ? `lists ${ways.join(', ')}` : 'lists no endpoints'}`,
  );
}

async function examineTable(entry: Entry, { catalog }: EntryPorts, name: string): Promise<Found> {
  const identifier = { namespace: entry.namespace, name };
  const loaded = await catalog.load(identifier);
  const title = `"${formatIdentifier(identifier)}"`;
  if (loaded === undefined) {
    return entry.create_table
      ? ok(`${title} is not there; it is made from its first segment`)
      : failed(`${title} is not there`, 'create it, or set create_table: true');
  }
  const state = readTableMetadata(identifier, loaded);
  if (entry.branch !== 'main' && !(entry.branch in state.refs)) {
    return failed(`${title} has no branch "${entry.branch}"`, 'create the branch, or change the setting');
  }
  const appends = [...state.snapshots.values()].filter(({ summary }) => summary['operation'] === 'append');
  const foreign = appends.filter(({ summary }) => !('iceberg-registrar.version' in summary));
  if (foreign.length > 0) {
    return warning(
      `${title} loads; ${foreign.length} of its ${appends.length} retained appends are of other writers`,
      'see that no second registrar takes the same segments: each would be there twice',
    );
  }
  return ok(`${title} loads: format version ${state.formatVersion}, ${state.snapshots.size} snapshots`);
}

async function examineSegments({ url }: Entry, { store }: EntryPorts): Promise<Found> {
  for await (const { uri } of store.list(`${url}/`)) {
    const read = await store.read(uri, { range: { suffix: 8 } });
    if (read.kind !== 'denied') return ok(`objects below ${url} can be listed and read`);
    return failed(`"${uri}" is denied: ${read.message}`, 'allow the role s3:GetObject below url');
  }
  return warning(`${url} can be listed and is empty`, 'check url if segments were shipped already');
}

async function examineQuarantine(
  { quarantine_url }: Entry,
  { quarantine, store }: EntryPorts,
  clock: Clock,
  look: (check: Check, examination: () => Promise<Found>) => Promise<Omit<Finding, 'entry'>>,
): Promise<readonly Omit<Finding, 'entry'>[]> {
  let written: string | undefined;
  const writable = await look('quarantine', async () => {
    written = await quarantine.put({
      v: 1,
      kind: 'discarded',
      at: new Date(clock.now()).toISOString(),
      message: 'Written by doctor to see whether it can be',
      answers: `${quarantine_url.replace(/\/+$/, '')}/_doctor/nothing.json`,
    });
    return ok(`${quarantine_url} can be written`);
  });
  const time = await look('clock', async () => {
    if (written === undefined) return notChecked('nothing could be written');
    const read = await store.read(written);
    if (read.kind !== 'object') return notChecked(`what was written cannot be read: ${read.kind}`);
    const skewMs = Math.abs(read.lastModifiedMs - clock.now());
    const found = `this clock and the store's are ${Math.round(skewMs / 1000)} s apart`;
    if (skewMs > MOST_SKEW_MS) return failed(found, 'set the clock by NTP');
    return skewMs > NOTABLE_SKEW_MS ? warning(found, 'set the clock by NTP') : ok(found);
  });
  return [writable, time];
}

async function examineQueue(url: string | undefined, fifo: boolean, ports: DoctorPorts): Promise<Found> {
  if (url === undefined) return notChecked('no URL is configured');
  const setup = await ports.queueSetup(url);
  const kind = (isFifo: boolean) => (isFifo ? 'FIFO' : 'standard');
  if (setup.fifo !== fifo) {
    return failed(`it is a ${kind(setup.fifo)} queue`, `name a ${kind(fifo)} queue`);
  }
  if (setup.visibilitySeconds <= FUNCTION_SECONDS) {
    return failed(
      `messages are visible again after ${setup.visibilitySeconds} s, while they may still be worked on`,
      `set the visibility timeout to ${6 * FUNCTION_SECONDS} s, six times the function's`,
    );
  }
  if (setup.maxReceiveCount === undefined) {
    return warning('no dead-letter queue takes what keeps failing', 'give it a redrive policy');
  }
  return ok(`a ${kind(fifo)} queue with a dead-letter queue after ${setup.maxReceiveCount} receives`);
}

function ok(found: string): Found {
  return { state: 'ok', found };
}

function warning(found: string, wayOut: string): Found {
  return { state: 'warning', found, wayOut };
}

function failed(found: string, wayOut: string): Found {
  return { state: 'failed', found, wayOut };
}

function notChecked(found: string): Found {
  return { state: 'not checked', found };
}

/** A message ends in its way out, after the last semicolon. */
function asFound(error: unknown): Found {
  if (!(error instanceof RegistrarError)) throw error;
  const { code, message } = error;
  const at = message.lastIndexOf('; ');
  return at < 0
    ? failed(`${code}: ${message}`, waysOut[code] ?? 'see the log of the service')
    : failed(`${code}: ${message.slice(0, at)}`, message.slice(at + 2));
}

const waysOut: Partial<Record<RegistrarError['code'], string>> = {
  'auth.failed': 'check the credentials, and what they are allowed to do',
  'catalog.unavailable': 'check catalog_uri, the network and the service',
  'catalog.refused': 'check catalog_warehouse and catalog_prefix',
  'store.unavailable': 'check store.endpoint, store.region and the bucket',
  'queue.unavailable': 'check the URL of the queue',
};
