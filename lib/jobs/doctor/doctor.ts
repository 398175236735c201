import type { Entry } from '../../config/entry.ts';
import type {
  BucketLifecycle,
  BucketNotifications,
  BucketRegion,
  ServerCertificate,
} from '../../ports/setup.ts';
import type { ServiceConfig } from '../../ports.ts';
import { version } from '../../version.ts';
import type { EntryPorts, RegisterPorts } from '../register/register-ports.ts';
import { examineAuthentication, examineCatalog, examineCreation, examineTable } from './examine-catalog.ts';
import { examineLifecycle } from './examine-lifecycle.ts';
import { examineNotifications } from './examine-notifications.ts';
import { examineQueue, type QueueSetups } from './examine-queue.ts';
import { examineRegion } from './examine-region.ts';
import { examineQuarantine, examineSegments } from './examine-store.ts';
import { examineTls } from './examine-tls.ts';
import { asFound, type Check, type Finding, type Found, notChecked, ok, warning } from './finding.ts';
import { type TryQueuePorts, tryQueue } from './try-queue.ts';

export interface DoctorPorts extends RegisterPorts, TryQueuePorts {
  readonly catalogConfig: (entry: Entry) => Promise<ServiceConfig>;
  /** The certificate of an https catalog; undefined behind a proxy. */
  readonly certificateOf: (entry: Entry) => Promise<ServerCertificate | undefined>;
  readonly queueSetups: QueueSetups;
  readonly regionOf: (entry: Entry) => BucketRegion;
  readonly lifecycleOf: (entry: Entry) => BucketLifecycle;
  readonly notificationsOf: (entry: Entry) => Pick<BucketNotifications, 'read'>;
  /** The running version of Node, `v24.22.3`. */
  readonly nodeVersion: string;
}

export interface DoctorOptions {
  /** A table in the entries' namespaces that is to be loaded. */
  readonly table?: string;
  /**
   * `nothing` if the role may not write; `record` to write one small object below `quarantine_url`.
   * @default record
   */
  readonly writes?: 'nothing' | 'record';
  /**
   * Registers one file in a table of its own (`tryRegistration`); with it, one test message is sent to each queue. It is passed in so that
   * the health function's bundle does not contain it.
   */
  readonly trial?: (entry: Entry, services: EntryPorts, ports: RegisterPorts) => Promise<Found>;
}

/** The oldest supported version of Node. */
const LEAST_NODE = 24;

/** Checks the configuration against the running services. It changes nothing except as `writes` and `trial` say. */
export async function examine(ports: DoctorPorts, options: DoctorOptions = {}): Promise<readonly Finding[]> {
  const findings = await Promise.all(
    ports.entries.map(async (entry, at) =>
      (await examineEntry(entry, ports, options)).map((finding) => ({ entry: at + 1, ...finding })),
    ),
  );
  return [{ entry: 0, check: 'versions', ...examineVersions(ports) }, ...findings.flat()];
}

function examineVersions({ nodeVersion }: DoctorPorts): Found {
  const found = `iceberg-registrar ${version} on Node ${nodeVersion}`;
  const major = Number(/\d+/.exec(nodeVersion)?.[0]);
  return major < LEAST_NODE ? warning(found, `run it on Node ${LEAST_NODE} or newer`) : ok(found);
}

async function examineEntry(
  entry: Entry,
  ports: DoctorPorts,
  { table, writes = 'record', trial }: DoctorOptions,
): Promise<readonly Omit<Finding, 'entry'>[]> {
  const services: EntryPorts = ports.portsOf(entry);
  const look = async (check: Check, examination: () => Promise<Found>) => ({
    check,
    ...(await examination().catch(asFound)),
  });

  const tls = entry.catalog_uri.startsWith('https://')
    ? [await look('tls', () => examineTls(entry, () => ports.certificateOf(entry), ports.clock))]
    : [];
  const catalog = await look('catalog', () => examineCatalog(entry, () => ports.catalogConfig(entry)));
  const reached = catalog.state === 'ok';
  const behind = (check: Check, examination: () => Promise<Found>) =>
    look(check, reached ? examination : async () => notChecked('the catalog was not reached'));
  const queue = async (url: string | undefined, fifo: boolean): Promise<Found> => {
    const found = await examineQueue(url, fifo, ports.queueSetups);
    const isUsable = found.state === 'ok' || found.state === 'warning';
    return trial !== undefined && url !== undefined && isUsable ? tryQueue(found, url, fifo, ports) : found;
  };
  const onS3 = entry.url.startsWith('s3://');
  return [
    ...tls,
    catalog,
    ...(await Promise.all([
      behind('authentication', () => examineAuthentication(entry, services)),
      behind('creation', () => examineCreation(entry, services)),
      ...(table === undefined ? [] : [behind('table', () => examineTable(entry, services, table))]),
      ...(onS3 ? [look('region', () => examineRegion(entry, ports.regionOf(entry)))] : []),
      look('segments', () => examineSegments(entry, services)),
      look('lifecycle', () => examineLifecycle(entry, ports.lifecycleOf(entry))),
      ...(onS3
        ? [look('notifications', () => examineNotifications(entry, ports.notificationsOf(entry)))]
        : []),
    ])),
    ...(writes === 'nothing' ? [] : await examineQuarantine(entry, services, ports.clock, look)),
    ...(await Promise.all([
      look('arrivals', () => queue(entry.queues.arrivals, false)),
      look('registrations', () => queue(entry.queues.registrations, true)),
    ])),
    ...(trial === undefined ? [] : [await behind('trial', () => trial(entry, services, ports))]),
  ];
}
