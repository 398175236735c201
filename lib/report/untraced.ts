import type { Trace } from '../ports.ts';

/** The `Trace` used where tracing is off: it only does the work. */
export const untraced: Trace = (_, work) => work(() => {});
