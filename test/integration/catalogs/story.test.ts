import { test } from 'vitest';
import type { DialectWorld } from '../../dialects/dialect.ts';
import { second, tellStory } from '../../dialects/story.ts';
import { onEveryCatalog } from '../schema/catalogs.ts';
import { openLake } from '../schema/lake.ts';
import { startLossyFront } from './lossy-front.ts';

onEveryCatalog(({ service }) => {
  test('tells the story of the dialects, and other engines read what it wrote', async () => {
    const world: Pick<DialectWorld, 'fault'> = {};
    const front = await startLossyFront(service().uri, (request) => world.fault?.(request));
    try {
      const lake = await openLake(service(), { catalog_uri: front.url });
      await tellStory(lake, world);
      await lake.expectRows(second);
    } finally {
      await front.close();
    }
  });
}, 'story');
