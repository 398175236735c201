import type { Section } from './section.ts';
import { types } from './tables/types.ts';

/** In the order in which they run and stand on the page. */
export const sections: readonly Section[] = [types];
