import { manifests } from './manifests/section.ts';
import type { Section } from './section.ts';
import { evolution } from './tables/evolution.ts';
import { predicates } from './tables/predicates.ts';
import { types } from './tables/types.ts';

/** In the order in which they run and stand on the page. */
export const sections: readonly Section[] = [types, evolution, predicates, manifests];
