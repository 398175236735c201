import path from 'node:path';

/** The folder of the acceptance corpus. It may be beside a checkout of this repository but is not part of it; tests skip it when it is absent. */
export const acceptanceCorpus = path.resolve(import.meta.dirname, '../../shared/corpus');
