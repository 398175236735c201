import type { Trace } from '../ports.ts';

/** Where nobody asked for traces the work is all there is. */
export const untraced: Trace = (_, work) => work(() => {});
