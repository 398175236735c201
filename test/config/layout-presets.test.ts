import { describe, expect, it } from 'vitest';
import type { RawSettings } from '../../lib/config/document.ts';
import { LAYOUT_PRESET_NAMES, LAYOUT_PRESETS, withLayoutPreset } from '../../lib/config/layout-presets.ts';
import { validateEntry } from '../../lib/config/validate.ts';

const required = {
  url: 's3://lake',
  namespace: 'analytics',
  catalog_uri: 'http://127.0.0.1:8181',
};
const validated = (settings: RawSettings) =>
  validateEntry({ ...required, ...settings }, { ...required, ...settings });

describe('withLayoutPreset', () => {
  it.each(LAYOUT_PRESET_NAMES)('%s stands for settings that are valid', (layout) => {
    const { entry, problems } = validated({
      layout,
      from: ['orders'],
      table_location: 's3://lake/tables/{dataset}',
    });
    expect(problems).toEqual([]);
    expect(entry).toMatchObject(LAYOUT_PRESETS[layout as keyof typeof LAYOUT_PRESETS]);
  });

  it('leaves what is written beside it', () => {
    expect(withLayoutPreset({ layout: 'spark', field_ids: 'checked' })).toEqual({
      layout: '{url}/{dataset}/…',
      field_ids: 'checked',
      hidden_names: 'ignore',
    });
  });

  it.each(['{url}/{dataset}/…', 'toString', 'Spark'])('leaves %s as it is', (layout) => {
    expect(withLayoutPreset({ layout })).toEqual({ layout });
  });

  it.each([
    ['kafka-conect', ': did you mean "kafka-connect"?'],
    ['firehos', ': did you mean "firehose"?'],
    ['zzzzzzzzzz', ''],
  ])('an unknown name, %s, is answered with all names and the nearest', (layout, near) => {
    expect(validated({ layout }).problems).toEqual([
      `layout: "${layout}" must begin with {url}/, or be the name of a shipper (${LAYOUT_PRESET_NAMES.join(', ')})${near}`,
    ]);
  });

  it('Firehose’s default keys begin with the year, which is no table', () => {
    expect(validated({ layout: 'firehose' }).problems).toEqual([
      expect.stringMatching(/^layout: "firehose" needs from, .*table "2026"/),
    ]);
  });

  it('a layout that names tables in files needs a location for them', () => {
    expect(validated({ layout: 'aiven' }).problems).toEqual([
      'layout: "aiven" names the table in the file name, so tables would share a directory; set table_location, such as s3://bucket/tables/{dataset}',
    ]);
  });
});
