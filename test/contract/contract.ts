import { afterAll, beforeAll, describe, test } from 'vitest';

/** One thing that every implementation of a port does, as data. */
export interface ContractCase<Subject> {
  readonly title: string;
  readonly run: (subject: Subject) => Promise<void>;
}

/** What an implementation is made of for a run, and how it ends. */
export interface Made<Subject> {
  readonly subject: Subject;
  readonly close?: () => Promise<void>;
}

/**
 * Titles that an implementation is known to fail, with the reason: it must fail them, or the exception is out of date. Those that it only
 * fails sometimes, races, are left out: their reason begins with "sometimes".
 */
export type Exceptions = Readonly<Record<string, string>>;

/** Runs a port's list of cases against one implementation of it. */
export function contract<Subject>(
  name: string,
  cases: readonly ContractCase<Subject>[],
  make: () => Promise<Made<Subject>>,
  {
    except = {},
    concurrent = false,
  }: { readonly except?: Exceptions | undefined; readonly concurrent?: boolean } = {},
): void {
  const unknown = Object.keys(except).filter((title) => !cases.some((one) => one.title === title));
  if (unknown.length > 0) throw new Error(`The contract "${name}" has no case "${unknown.join('", "')}"`);

  describe(name, { concurrent }, () => {
    let made: Made<Subject>;
    beforeAll(async () => {
      made = await make();
    });
    afterAll(async () => {
      await made?.close?.();
    });
    for (const { title, run } of cases) {
      const reason = except[title];
      if (reason === undefined) test(title, () => run(made.subject));
      else if (reason.startsWith('sometimes')) test.skip(`${title} (${reason})`, () => undefined);
      else test.fails(`${title} (known not to: ${reason})`, () => run(made.subject));
    }
  });
}
