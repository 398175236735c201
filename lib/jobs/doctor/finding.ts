import { RegistrarError } from '../../errors.ts';

/** The result of one check, and what to change if it failed. */
export interface Finding {
  /** The number of the configuration's entry, from 1; 0 for all entries. */
  readonly entry: number;
  readonly check:
    | 'tls'
    | 'catalog'
    | 'authentication'
    | 'creation'
    | 'table'
    | 'region'
    | 'segments'
    | 'quarantine'
    | 'clock'
    | 'lifecycle'
    | 'notifications'
    | 'arrivals'
    | 'registrations'
    | 'trial'
    | 'versions';
  readonly state: 'ok' | 'warning' | 'failed' | 'not checked';
  readonly found: string;
  readonly wayOut?: string;
}

export type Check = Finding['check'];
export type Found = Omit<Finding, 'entry' | 'check'>;

export function ok(found: string): Found {
  return { state: 'ok', found };
}

export function warning(found: string, wayOut: string): Found {
  return { state: 'warning', found, wayOut };
}

export function failed(found: string, wayOut: string): Found {
  return { state: 'failed', found, wayOut };
}

export function notChecked(found: string): Found {
  return { state: 'not checked', found };
}

/** The way out is the part of a message after the last semicolon. */
export function asFound(error: unknown): Found {
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
