import type { Entry } from '../lib/config/entry.ts';
import type { SecretReference } from './deployment.ts';

export type FunctionName = 'route' | 'register' | 'reconcile' | 'health';

/** What the resources of a policy are made of: the account, the configuration, and what the deployment names. */
export interface AccessContext {
  readonly partition: string;
  readonly region: string;
  readonly account: string;
  readonly entries: readonly Entry[];
  readonly secrets: readonly SecretReference[];
  readonly tableLocations: readonly string[];
  readonly kmsKeyArn?: string;
  /** Keys with which shippers encrypt segments, and secrets are encrypted. */
  readonly decryptKeyArns: readonly string[];
  readonly inVpc: boolean;
}
