import type { TestProject } from 'vitest/node';
import { capabilityMatrix, shownIn } from './capability-matrix.ts';
import { askedCatalogs, catalogsOnRequest, usual } from './chosen.ts';
import type { ServiceName, Services } from './service.ts';
import { install, installedFolder, startServices } from './services.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The services that run; the rest are in `notRun`, with the reason. */
    services: Partial<Services>;
    notRun: Partial<Record<ServiceName, string>>;
    /** The Python in which PyIceberg and DuckDB are installed. */
    readersPython: string;
  }
}

/** Starts every service once for all test files, and ends them after the last one. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const startedAt = performance.now();
  const [started] = await Promise.all([
    startServices({ want: askedCatalogs().length > 0 ? askedCatalogs() : usual }),
    install('readers'),
  ]);
  project.provide('services', started.services);
  project.provide('notRun', started.notRun);
  project.provide('readersPython', `${installedFolder}/readers/bin/python`);
  console.log(
    `services: ${Object.keys(started.services).join(', ') || 'none'} in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`,
  );
  return async () => {
    const failed = project.vitest.state.getCountOfFailedTests() > 0;
    await started.stop({ keepLogs: failed || Object.keys(started.notRun).length > 0 });
    const matrix = capabilityMatrix(shownIn(project));
    if (matrix !== '') console.log(matrix);
    for (const [name, reason] of Object.entries(started.notRun)) console.log(`NOT RUN: ${name}: ${reason}`);
    if (askedCatalogs().length > 0) return;
    for (const name of catalogsOnRequest)
      console.log(`NOT RUN: ${name}: ask for it by npm run test:integration -- --catalog ${name}`);
  };
}
