import { chunksByTable } from '../../lib/route/chunk.ts';
import { layoutRouter } from '../../lib/route/layout.ts';
import { CatalogError } from '../../local/catalog/catalog-error.ts';
import { simCatalog } from './catalog.ts';
import { commitInvariants } from './commit-invariants.ts';
import type { Contents } from './contents.ts';
import type { Fault } from './faults.ts';
import { type Services, startContainer } from './functions.ts';
import { createHistory } from './history.ts';
import { BUCKET, entryOf, keyUri, tableOf } from './lake.ts';
import { others } from './others.ts';
import { simQueues, startEventSource } from './queues.ts';
import { DATASETS, type Op, type Schedule, type Upload } from './schedule.ts';
import { quarantineOf, segmentInvariants } from './segment-invariants.ts';
import { simStore } from './store.ts';
import { tableFiles } from './table-files.ts';
import { createWorld } from './world.ts';

export interface Outcome {
  readonly violations: readonly string[];
  /** What befell calls: with it in place of `drawn`, the schedule is the same run. */
  readonly faults: readonly Fault[];
  readonly lines: readonly string[];
  readonly commits: number;
}

/** An object as S3 tells of it. */
interface Created {
  readonly uri: string;
  readonly etag: string;
  readonly sizeBytes: number;
  readonly sequencer: number;
  readonly copied: boolean;
}

/** More than any run needs that comes to rest. */
const MAX_EVENTS = 20_000;
const MAX_REDRIVES = 8;

/** Runs the real jobs through a schedule, lets everything come to rest, and says which invariants did not hold. */
export async function simulate(
  schedule: Schedule,
  contents: Contents,
  options: { readonly traced?: boolean } = {},
): Promise<Outcome> {
  const world = createWorld(schedule, contents, options.traced ?? false);
  const { settings } = schedule;
  const { timeline } = world;
  const history = createHistory(timeline.now);
  const store = simStore(
    () => timeline.now() + settings.storeSkewMs,
    (uri) => world.violate('I1', `${uri} is overwritten`),
  );
  const files = tableFiles(store);
  const atCommits = commitInvariants(world, history, files);
  let commits = 0;
  let uploads = 0;
  const catalog = simCatalog({
    store,
    now: timeline.now,
    uuid: world.draws('catalog').uuid,
    endpoints: settings.endpoints,
    changed: (change) => {
      commits += 1;
      world.trace(`${change.by} changed ${change.table.name}`);
      atCommits.changed(change);
    },
  });
  const queues = simQueues(world);
  const services: Services = { store, catalog, queues };
  const entry = entryOf(settings, queues.registrations.url);
  const atSegments = segmentInvariants(world, history, store, queues);

  const sources = [
    startEventSource(world, {
      name: 'route',
      queues,
      queue: queues.arrivals,
      batchSize: 100,
      windowMs: settings.windowMs,
      maxInstances: 2,
      timeoutMs: 60_000,
      start: (instance) => startContainer(world, services, entry, instance).route,
      answered: atSegments.routed,
    }),
    startEventSource(world, {
      name: 'register',
      queues,
      queue: queues.registrations,
      batchSize: 10,
      windowMs: 0,
      maxInstances: settings.handlers,
      timeoutMs: settings.timeoutMs,
      start: (instance) => startContainer(world, services, entry, instance).register,
      answered: atSegments.registered,
    }),
  ] as const;
  queues.onChange = (queue, afterMs) => sources[queue === queues.arrivals ? 0 : 1](afterMs);

  const writers = others(world, services, history, files, {
    written: (uri, { etag, bytes }) => {
      uploads += 1;
      notify([{ uri, etag, sizeBytes: bytes.length, sequencer: uploads, copied: false }], 1_000, undefined);
    },
    dropped: (dataset) => atCommits.dropped(tableOf(dataset)),
  });

  /** S3 notifies of each object alone, a shipper of all that it uploaded together. */
  function notify(created: readonly Created[], afterMs: number, group: string | undefined): void {
    timeline.after(afterMs, () => {
      if (group === undefined) for (const one of created) queues.send(queues.arrivals, notification([one]));
      else queues.send(queues.registrations, notification(created), group, `${timeline.now()}/${created[0]?.uri}`);
    });
  }

  function upload({ key, content: kind, number, copied }: Upload): Created {
    const content = contents(kind, number);
    const uri = keyUri(key);
    store.put(uri, content.bytes, content.etag);
    history.hold(uri, content);
    uploads += 1;
    return { uri, etag: content.etag, sizeBytes: content.bytes.length, sequencer: uploads, copied };
  }

  function redriveQuarantine(): void {
    const records = quarantineOf(store);
    const answered = new Set(records.map(({ record }) => record.answers));
    const routeOf = layoutRouter([entry]);
    for (const { uri, record } of records) {
      if (record.kind !== 'failure' || record.segment === undefined || answered.has(uri)) continue;
      const reference = {
        scheme: 's3' as const,
        bucket: BUCKET,
        key: record.segment.uri.slice(`s3://${BUCKET}/`.length),
      };
      const routing = routeOf(reference);
      if (routing.kind !== 'table') continue;
      for (const { message } of chunksByTable([{ reference, routing }], { nonce: uri })) {
        queues.send(queues.registrations, message.body, message.groupId, message.deduplicationId);
      }
      store.put(
        `${uri.slice(0, uri.lastIndexOf('/'))}/${world.draws(uri).uuid()}.json`,
        Buffer.from(JSON.stringify({ v: 1, kind: 'redriven', answers: uri })),
      );
    }
  }

  /** What the catalog refuses others is their misfortune: files without a commit stay behind. */
  function attempt(op: Op): void {
    world.trace(JSON.stringify(op));
    try {
      perform(op);
    } catch (error) {
      if (!(error instanceof CatalogError)) throw error;
      world.trace(`refused: ${error.message}`);
    }
  }

  function perform(op: Op): void {
    switch (op.kind) {
      case 'ship':
        {
          const created = op.uploads.map(upload);
          for (const ms of op.notifyMs) notify(created, ms, op.group);
        }
        return;
      case 'delete object':
        if (!store.objects.delete(keyUri(op.key))) return;
        history.hold(keyUri(op.key), undefined);
        return;
      case 'foreign append':
        return writers.append(op.dataset, op.counted);
      case 'foreign add_files':
        return writers.addFiles(op.key);
      case 'add column':
        return writers.addColumn(op.dataset);
      case 'compact':
        return writers.compact(op.dataset);
      case 'rewrite manifests':
        return writers.rewriteManifests(op.dataset);
      case 'expire':
        return writers.expire(op.dataset, op.keep);
      case 'roll back':
        return writers.rollBack(op.dataset, op.steps);
      case 'set data path':
        return writers.setDataPath(op.dataset, op.folder);
      case 'drop':
        return writers.drop(op.dataset);
      case 'redrive quarantine':
        return redriveQuarantine();
      case 'redrive dead letters':
        queues.redrive();
    }
  }

  if (settings.precreated !== 'none') {
    for (const dataset of DATASETS) writers.create(dataset, settings.precreated);
  }
  for (const op of schedule.ops) timeline.after(op.atMs, () => attempt(op));
  const calmMs = (schedule.ops.at(-1)?.atMs ?? 0) + 30 * 60_000;
  timeline.after(calmMs, () => {
    world.calm = true;
    world.trace('calm');
  });
  let rested = await timeline.run(MAX_EVENTS);
  for (let redrives = 0; rested && redrives < MAX_REDRIVES && queues.redrive() > 0; redrives += 1) {
    rested = await timeline.run(MAX_EVENTS);
  }
  if (!rested) world.violate('liveness', `not at rest after ${MAX_EVENTS} events`);
  atSegments.atRest();
  return { violations: world.violations, faults: world.faults.fired, lines: world.lines, commits };
}

/** What S3 says of objects created. */
function notification(objects: readonly Created[]): string {
  return JSON.stringify({
    Records: objects.map(({ uri, etag, sizeBytes, sequencer, copied }) => ({
      eventVersion: '2.1',
      eventSource: 'aws:s3',
      eventName: copied ? 'ObjectCreated:Copy' : 'ObjectCreated:Put',
      s3: {
        bucket: { name: BUCKET },
        object: {
          key: uri.slice(`s3://${BUCKET}/`.length),
          size: sizeBytes,
          eTag: etag,
          sequencer: sequencer.toString(16).padStart(16, '0'),
        },
      },
    })),
  });
}

