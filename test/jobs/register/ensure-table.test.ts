import { describe, expect, test } from 'vitest';
import { validateEntry } from '../../../lib/config/validate.ts';
import { missingTable } from '../../../lib/jobs/load-state.ts';

const settings = { url: 's3://lake', namespace: 'a', catalog_uri: 'https://catalog.example.com' };

describe('missingTable', () => {
  test.each([
    ['true', 'its first registration makes it'],
    ['false', 'set create_table: true'],
  ])('says the way out of a table that is not there, with create_table: %s', (create_table, way) => {
    const { entry } = validateEntry({ ...settings, create_table }, settings);
    if (entry === undefined) throw new Error('the settings are not valid');
    const { code, message } = missingTable({
      table: { namespace: ['a'], name: 'b' },
      entry,
      directory: 's3://lake/in/b',
      location: undefined,
    });
    expect(code).toBe('table.missing');
    expect(message).toContain(`"a.b"`);
    expect(message).toContain(way);
  });
});
