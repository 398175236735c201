import { test } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    capability?: { readonly catalog: string; readonly name: string };
  }
}

/** A test whose end is a cell of the matrix that is printed after the run. */
export function capability(catalog: string, name: string, title: string, run: () => Promise<void>): void {
  test(title, async ({ task }) => {
    task.meta.capability = { catalog, name };
    await run();
  });
}
