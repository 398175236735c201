import type { Entry } from '../../lib/config/entry.ts';
import type { TableIdentifier } from '../../lib/spec/table-identifier.ts';
import { CatalogError } from '../../local/catalog/catalog-error.ts';
import type { Writer } from './catalog.ts';
import type { ForeignTables } from './foreign-tables.ts';
import { type Container, type Services, startContainer } from './functions.ts';
import type { History } from './history.ts';
import type { Instance } from './io.ts';
import { keyUri, tableOf } from './lake.ts';
import { addColumn, expire, rollBack, setDataPath } from './maintenance.ts';
import { appendAside, cherryPick, fastForward, tagHead } from './other-refs.ts';
import type { Op } from './schedule.ts';
import type { Shipper } from './shipper.ts';
import type { World } from './world.ts';
import { addDeletes, addFiles, append, compact, deleteRows, rewriteManifests } from './writers.ts';

/** Performs the operations of a schedule. If the catalog refuses a commit of another writer, its files stay behind. */
export function operations(
  world: World,
  services: Services,
  entry: Entry,
  history: History,
  shipper: Shipper,
  tables: ForeignTables,
  dropped: (table: TableIdentifier) => void,
): (op: Op) => void {
  const { store, queues } = services;
  let operators = 0;

  /** Runs an operator's command in its own container, which may die like any other. */
  function operate(act: (container: Container) => Promise<unknown>, by?: Writer): void {
    operators += 1;
    const operator: Instance = {
      name: `operator-${operators}`,
      alive: true,
      kill(why) {
        operator.alive = false;
        world.trace(`${operator.name} dies: ${why}`);
      },
    };
    act(startContainer(world, services, entry, operator, by)).then(
      () => world.trace(`${operator.name} is done`),
      (error: unknown) => world.trace(`${operator.name} gives up: ${String(error)}`),
    );
  }

  function perform(op: Op): void {
    switch (op.kind) {
      case 'ship': {
        const created = op.uploads.map(shipper.upload);
        for (const ms of op.notifyMs) shipper.notify(created, ms, op.group);
        break;
      }
      case 'delete object':
        if (store.objects.delete(keyUri(op.key))) history.hold(keyUri(op.key), undefined);
        break;
      case 'redrive quarantine':
        for (const ms of [0, ...op.againMs]) {
          world.timeline.after(ms, () => operate((container) => container.redriveAll()));
        }
        break;
      case 'reconcile':
        operate((container) => container.reconcile(op.dataset, op.missing));
        break;
      case 'repair':
        operate((container) => container.repair(keyUri(op.key), op.action), 'repair');
        break;
      case 'backfill':
        operate((container) => container.backfill(op.segmentsACommit));
        break;
      case 'redrive dead letters':
        queues.redrive();
        break;
      case 'foreign append':
        append(tables, op.dataset, op.counted);
        break;
      case 'foreign add_files':
        addFiles(tables, op.key);
        break;
      case 'compact':
        compact(tables, op.dataset, op.dies);
        break;
      case 'delete rows':
        deleteRows(tables, op.dataset);
        break;
      case 'add deletes':
        addDeletes(tables, op.dataset);
        break;
      case 'rewrite manifests':
        rewriteManifests(tables, op.dataset);
        break;
      case 'add column':
        addColumn(tables, op.dataset);
        break;
      case 'set data path':
        setDataPath(tables, op.dataset, op.folder);
        break;
      case 'expire':
        expire(tables, op.dataset, op.keep);
        break;
      case 'tag':
        tagHead(tables, op.dataset);
        break;
      case 'append on a side branch':
        appendAside(tables, op.dataset, op.key);
        break;
      case 'fast-forward':
        fastForward(tables, op.dataset);
        break;
      case 'cherry-pick':
        cherryPick(tables, op.dataset);
        break;
      case 'roll back':
        rollBack(tables, op.dataset, op.steps);
        break;
      case 'restore':
        services.catalog.restore(tableOf(op.dataset), op.changes);
        break;
      case 'drop':
        services.catalog.drop(tableOf(op.dataset));
        dropped(tableOf(op.dataset));
    }
  }

  return (op) => {
    world.trace(JSON.stringify(op));
    try {
      perform(op);
    } catch (error) {
      if (error instanceof CatalogError) world.trace(`refused: ${error.message}`);
      else world.violate('I1', `others cannot ${op.kind}: ${String(error)}`);
    }
  };
}
