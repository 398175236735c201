import type { RawSettings } from './document.ts';

/**
 * Named layouts for what other systems upload. A preset stands for settings that could be written out, and settings written
 * beside it take precedence. `docs/shippers.md` has each system's settings.
 */
export const LAYOUT_PRESETS = {
  'kafka-connect': {
    layout: '{url}/topics/{dataset}/…',
    field_ids: 'by_name',
  },
  aiven: {
    layout: '{url}/{dataset}-{partition}-{offset}',
    field_ids: 'by_name',
  },
  debezium: {
    layout: '{url}/topics/{server}.{schema}.{dataset}/…',
    field_ids: 'by_name',
  },
  firehose: {
    layout: '{url}/{dataset}/…',
    field_ids: 'by_name',
  },
  spark: {
    layout: '{url}/{dataset}/…',
    field_ids: 'by_name',
    hidden_names: 'ignore',
  },
  flink: {
    layout: '{url}/{dataset}/…',
    field_ids: 'by_name',
    hidden_names: 'ignore',
  },
  dbt: {
    layout: '{url}/{dataset}/…',
    field_ids: 'by_name',
    hidden_names: 'ignore',
  },
  duckdb: {
    layout: '{url}/{dataset}/…',
    field_ids: 'by_name',
  },
  clickhouse: {
    layout: '{url}/{dataset}/…',
    field_ids: 'by_name',
  },
  vector: {
    layout: '{url}/{dataset}/date={date}/…',
    field_ids: 'by_name',
  },
  'fluent-bit': {
    layout: '{url}/fluent-bit-logs/{dataset}/…',
    field_ids: 'by_name',
  },
} as const satisfies Record<string, RawSettings & { readonly layout: string }>;

export const LAYOUT_PRESET_NAMES = Object.keys(LAYOUT_PRESETS);

/** Replaces a preset named by `layout` with its settings; without one, returns the settings unchanged. */
export function withLayoutPreset(settings: RawSettings): RawSettings {
  const { layout } = settings;
  if (typeof layout !== 'string' || !isPreset(layout)) return settings;
  const preset = LAYOUT_PRESETS[layout];
  return { ...preset, ...settings, layout: preset.layout };
}

function isPreset(name: string): name is keyof typeof LAYOUT_PRESETS {
  return Object.hasOwn(LAYOUT_PRESETS, name);
}
