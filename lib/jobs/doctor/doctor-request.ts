import type { Finding } from './finding.ts';

/** The request of `doctor --deployed` to the health function. */
export interface DoctorRequest {
  readonly doctor: { readonly table?: string };
}

export interface DoctorAnswer {
  readonly findings: readonly Finding[];
}

export function isDoctorRequest(event: unknown): event is DoctorRequest {
  const { doctor } = (event ?? {}) as Readonly<Record<string, unknown>>;
  return typeof doctor === 'object' && doctor !== null;
}

/** The answer of the function; undefined if it does not know the request. */
export function doctorAnswer(answer: unknown): DoctorAnswer | undefined {
  const { findings } = (answer ?? {}) as Readonly<Record<string, unknown>>;
  return Array.isArray(findings) ? { findings } : undefined;
}
