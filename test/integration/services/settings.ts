import type { StoreService } from './service.ts';

/** A service's endpoint and keys as the configuration's `store` has them. */
export function storeSettings(store: StoreService) {
  return {
    endpoint: store.endpoint,
    region: store.region,
    allow_http: true,
    path_style: true,
    access_key_id: store.accessKeyId,
    secret_access_key: store.secretAccessKey,
  };
}
