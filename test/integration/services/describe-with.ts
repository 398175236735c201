import { describe, inject, type SuiteOptions, test } from 'vitest';
import type { ServiceName, Services } from './service.ts';

/**
 * A group of tests over real services. Where one of them did not start, one skipped test says NOT RUN in its place;
 * under CI the run has failed before.
 */
export function describeWith<Name extends ServiceName>(
  title: string,
  names: readonly Name[],
  tests: (services: Pick<Services, Name>) => void,
  options: SuiteOptions = {},
): void {
  const services = inject('services');
  const absent = names.filter((name) => services[name] === undefined);
  if (absent.length > 0) test.skip(`NOT RUN, no ${absent.join(', ')}: ${title}`);
  else describe(title, options, () => tests(services as Pick<Services, Name>));
}
