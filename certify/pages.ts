import type { Certification } from './matrix.ts';

/** Writes the run into docs/. */
export function writePages(_certification: Certification, _seconds: string): void {}
