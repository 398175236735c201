import { caches } from './living/caches.ts';
import { living } from './living/section.ts';
import { manifests } from './manifests/section.ts';
import type { Section } from './section.ts';
import { asTheyLie } from './tables/as-they-lie.ts';
import { deletes } from './tables/deletes.ts';
import { evolution } from './tables/evolution.ts';
import { formats, sizes } from './tables/formats.ts';
import { partitions } from './tables/partitions.ts';
import { predicates } from './tables/predicates.ts';
import { types } from './tables/types.ts';

/** In the order of the run and of the page. */
export const sections: readonly Section[] = [
  types,
  evolution,
  partitions,
  formats,
  sizes,
  deletes,
  asTheyLie,
  predicates,
  manifests,
  caches,
  living,
];
