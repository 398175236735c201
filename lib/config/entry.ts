/**
 * One entry of the configuration after validation, with defaults applied and secrets resolved. A setting has one name
 * everywhere: in the YAML, in `REGISTRAR_<KEY>`, in the documentation and here.
 */
export interface Entry {
  /** Prefix of every segment that this entry may read, `s3://bucket/prefix`, without a trailing slash. */
  readonly url: string;
  /** The pipeline name that the layout must find, if set. `from` (thadam's name for it) lists the datasets to register. */
  readonly pipeline?: string;
  readonly from?: readonly string[];
  /** A template; the name of a preset has been replaced by its template. */
  readonly layout: string;
  readonly catalog_uri: string;
  readonly catalog_warehouse?: string;
  readonly catalog_prefix?: string;
  readonly catalog_token?: string;
  readonly catalog_credential?: CatalogCredential;
  readonly catalog_headers?: Readonly<Record<string, string>>;
  readonly catalog_sigv4?: { readonly region: string; readonly service: string };
  readonly catalog_google?: boolean;
  /**
   * This, the certificate and the key are PEM texts once loaded for connecting; a deployment keeps them as they are written.
   */
  readonly catalog_ca_file?: string;
  readonly catalog_client_cert?: string;
  readonly catalog_client_key?: string;
  readonly catalog_server_name?: string;
  readonly catalog_metrics?: boolean;
  readonly access_delegation: 'none' | 'vended-credentials';
  readonly namespace: readonly string[];
  readonly table: string;
  readonly branch: string;
  readonly create_table: boolean;
  readonly create_via: 'auto' | 'register' | 'commit' | 'create';
  /** A template, or `catalog` to let the catalog choose. */
  readonly table_location?: string;
  readonly table_properties: Readonly<Record<string, string>>;
  readonly snapshot_properties: Readonly<Record<string, string>>;
  readonly format_version: 2 | 3;
  /** `day(ts)`, `bucket[16](id)`, `region`. */
  readonly partition_by: readonly string[];
  readonly field_ids: 'checked' | 'stable' | 'by_name';
  readonly case_sensitive_names: boolean;
  readonly timestamp_millis: 'refuse' | 'accept';
  readonly hidden_names: 'accept' | 'ignore';
  readonly copies: 'accept' | 'quarantine';
  readonly on_segment_error: 'quarantine' | 'stop';
  readonly on_unprovable: 'quarantine' | 'register';
  readonly quarantine_url: string;
  readonly max_footer_bytes: number;
  readonly merge_manifests: boolean;
  readonly freshness_ms?: number;
  readonly tracing?: boolean;
  readonly queues: { readonly arrivals?: string; readonly registrations?: string };
  readonly store: StoreSettings;
  readonly retry: { readonly initial_ms: number; readonly max_ms: number; readonly jitter: number };
}

export interface CatalogCredential {
  readonly client_id: string;
  readonly client_secret: string;
  readonly scope?: string;
  readonly oauth2_server_uri?: string;
  readonly audience?: string;
  readonly resource?: string;
  readonly client_auth?: 'form' | 'basic';
  readonly token_exchange?: boolean;
}

export interface StoreSettings {
  readonly endpoint?: string;
  readonly region?: string;
  readonly allow_http?: boolean;
  readonly access_key_id?: string;
  readonly secret_access_key?: string;
  readonly session_token?: string;
  readonly path_style?: boolean;
  readonly kms_key_id?: string;
  readonly requester_pays?: boolean;
}
