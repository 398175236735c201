import { join } from 'node:path';
import { installedFolder } from '../../../test/integration/services/services.ts';
import { type Endpoints, type Lakehouse, NAMESPACE } from '../lakehouse/lakehouse.ts';
import { type Segment, shipperUrl, uriOf } from '../lakehouse/segments.ts';
import { type Answer, type Command, startProcess } from './protocol.ts';
import type { RegisterProgram } from './register-program.ts';

/** The services, as passed to a contender's program on its command line. */
export interface Services {
  readonly catalog: string;
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** A measured program: the registrar, the floor or a peer. */
export interface Contender {
  readonly name: ContenderName;
  /** Registers segments of a dataset in the contender's own table, in one commit. */
  register(dataset: string, segments: readonly Segment[]): Promise<Answer>;
  stop(): Promise<void>;
}

export type ContenderName =
  | 'ours'
  | 'floor'
  | 'floor, one load'
  | 'iceberg-rust'
  | 'iceberg-rust, check'
  | 'iceberg-go'
  | 'iceberg-go, check'
  | 'Java'
  | 'PyIceberg'
  | 'PyIceberg, check';

const root = join(import.meta.dirname, '../../..');
const peers = join(root, 'bench/peers');

/** The contender's table of a dataset. The registrar's has the name of the dataset, because of its layout. */
export function tableOf(dataset: string, contender: ContenderName): string {
  return contender === 'ours' ? dataset : `${dataset}_${contender.toLowerCase().replaceAll(/\W+/g, '_')}`;
}

/** Whether the snapshot summaries in the contender's tables list the registered segments. */
export function keepsLedger(contender: ContenderName): boolean {
  return contender === 'ours' || contender.startsWith('floor');
}

/**
 * Starts a contender.
 * @param register needed only for the registrar
 */
export function startContender(
  name: ContenderName,
  lakehouse: Pick<Lakehouse, 'store'> & Endpoints,
  register?: RegisterProgram,
): Contender {
  const { ask, stop } = startProcess(commandOf(name, lakehouse, register));
  const isPeer = !keepsLedger(name);
  return {
    name,
    register: (dataset, segments) => {
      const table = tableOf(dataset, name);
      return ask(
        isPeer ? { table: `${NAMESPACE}.${table}`, files: segments.map(uriOf) } : { table, segments },
      );
    },
    stop,
  };
}

function commandOf(
  name: ContenderName,
  lakehouse: Pick<Lakehouse, 'store'> & Endpoints,
  register?: RegisterProgram,
): Command {
  const { region, accessKeyId, secretAccessKey } = lakehouse.store;
  const services: Services = {
    catalog: lakehouse.catalogUri,
    endpoint: lakehouse.storeEndpoint,
    region,
    accessKeyId,
    secretAccessKey,
  };
  const connection = JSON.stringify(services);
  const check = name.endsWith(', check') ? 'check' : 'no-check';
  const installed = (path: string) => join(installedFolder, path);
  switch (name) {
    case 'ours':
      if (register === undefined) throw new TypeError('ours needs its register program');
      return {
        name,
        file: process.execPath,
        args: ['--enable-source-maps', register.program, register.bundle],
        env: registerEnvironment(lakehouse),
      };
    case 'floor':
    case 'floor, one load': {
      const program = join(import.meta.dirname, 'floor-process.ts');
      const load = name === 'floor' ? [] : ['load'];
      return { name, file: process.execPath, args: [program, connection, ...load] };
    }
    case 'iceberg-rust':
    case 'iceberg-rust, check':
      return { name, file: installed('peer-rust/iceberg-rust-peer'), args: [connection, check] };
    case 'iceberg-go':
    case 'iceberg-go, check':
      return { name, file: installed('peer-go/iceberg-go-peer'), args: [connection, check] };
    case 'Java': {
      const program = join(peers, 'java/IcebergJavaPeer.java');
      const args = ['-Xmx1g', '-cp', installed('peer-java/*'), program, connection];
      return { name, file: 'java', args, env: { AWS_REGION: region } };
    }
    case 'PyIceberg':
    case 'PyIceberg, check': {
      const program = join(peers, 'pyiceberg/pyiceberg_peer.py');
      return { name, file: installed('readers/bin/python'), args: [program, connection, check] };
    }
  }
}

/** The environment as deployed, with the addresses of the services. */
export function registerEnvironment(lakehouse: Pick<Lakehouse, 'store'> & Endpoints): Record<string, string> {
  const { store, catalogUri, storeEndpoint } = lakehouse;
  return {
    REGISTRAR_CONFIG: JSON.stringify({
      url: shipperUrl(lakehouse),
      namespace: NAMESPACE,
      catalog_uri: catalogUri,
      store: {
        endpoint: storeEndpoint,
        region: store.region,
        allow_http: true,
        path_style: true,
      },
    }),
    METRICS_NAMESPACE: 'IcebergRegistrar',
    AWS_REGION: store.region,
    AWS_ACCESS_KEY_ID: store.accessKeyId,
    AWS_SECRET_ACCESS_KEY: store.secretAccessKey,
  };
}
