/** An S3 endpoint with one bucket in it, addressed by path. LocalStack answers SQS at the same endpoint. */
export interface StoreService {
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly bucket: string;
  /** A role that the STS at the same endpoint lends to these keys. */
  readonly role?: string;
  /** The endpoint by its container's address: on Linux, good in other containers and here alike. Absent where it is a process. */
  readonly networkEndpoint?: string;
}

/** An Iceberg REST catalog whose files lie in `store`. */
export interface CatalogService {
  readonly uri: string;
  readonly store: StoreService;
  /** What `GET /v1/config` is asked for; absent where a catalog has one warehouse. */
  readonly warehouse?: string;
  /** A bearer token; absent where a catalog asks for none. */
  readonly token?: string;
  /** How the registrar gets in, where it is not by the token. */
  readonly wayIn?: {
    readonly catalog_headers?: Readonly<Record<string, string>>;
    readonly catalog_credential: {
      readonly client_id: string;
      readonly client_secret: string;
      readonly scope?: string;
    };
  };
  /** What else an entry is told on this catalog. */
  readonly settings?: { readonly on_unprovable: 'register' };
}

/** Google Cloud, played by emulators on this machine: none of them asks who calls. */
export interface GoogleService {
  readonly project: string;
  /** Cloud Storage, with one bucket in it. */
  readonly storageEndpoint: string;
  readonly bucket: string;
  /** Pub/Sub's REST API. */
  readonly pubsubEndpoint: string;
  /** Apache's REST fixture over that storage. */
  readonly catalogUri: string;
}

/** The services by name; one that did not start is absent. */
export interface Services {
  readonly localstack: StoreService;
  readonly seaweedfs: StoreService;
  /** Apache's REST fixture over LocalStack's S3. */
  readonly localstackCatalog: CatalogService;
  /** Apache's REST fixture over SeaweedFS. */
  readonly seaweedfsCatalog: CatalogService;
  /** SeaweedFS's own catalog, over its own S3. */
  readonly seaweedfsOwnCatalog: CatalogService;
  readonly google: GoogleService;
  /** Apache Polaris over SeaweedFS and PostgreSQL; this one and the next two run in containers alone, and when they are asked for. */
  readonly polaris: CatalogService;
  readonly lakekeeper: CatalogService;
  readonly nessie: CatalogService;
}

export type ServiceName = keyof Services;

/** A service that answers, with the way to end it. */
export interface Running<Service> {
  readonly service: Service;
  stop(): Promise<void>;
}

/** Where one run of the tests keeps its things: `logs` outlive a failed run, `scratch` never does. */
export interface Folders {
  /** What `.ci/setup` installed. */
  readonly installed: string;
  readonly logs: string;
  readonly scratch: string;
  /** How the JVM of a host's catalog is set. @default small and soon up, as tests want it */
  readonly catalogJvm?: readonly string[];
}

export const bucket = 'lake';

/** How the fixture reaches its store; in a container that is not how the tests reach it. */
export function fixtureEnvironment(
  store: StoreService,
  storeEndpoint: string,
  databaseFile: string,
  port: number,
): Record<string, string> {
  return {
    // Without both options concurrent commits end in SQLITE_BUSY, and every later one in a 500.
    CATALOG_URI: `jdbc:sqlite:${databaseFile}?busy_timeout=60000&journal_mode=WAL`,
    CATALOG_JDBC_USER: 'user',
    CATALOG_JDBC_PASSWORD: 'password',
    CATALOG_WAREHOUSE: `s3://${store.bucket}/warehouse`,
    CATALOG_IO__IMPL: 'org.apache.iceberg.aws.s3.S3FileIO',
    CATALOG_S3_ENDPOINT: storeEndpoint,
    CATALOG_S3_PATH__STYLE__ACCESS: 'true',
    CATALOG_S3_ACCESS__KEY__ID: store.accessKeyId,
    CATALOG_S3_SECRET__ACCESS__KEY: store.secretAccessKey,
    CATALOG_CLIENT_REGION: store.region,
    AWS_REGION: store.region,
    CATALOG_REST_PORT: String(port),
  };
}
