import * as v from 'valibot';
import { entrySchema } from './settings.ts';

/** One setting, as the documentation shows it. */
export interface SettingDescription {
  /** `store.endpoint` */
  readonly name: string;
  /** `REGISTRAR_STORE__ENDPOINT` */
  readonly variable: string;
  /** `text`, `duration`, `list`, `map`, …; `settings` for a map of settings. */
  readonly type: string;
  readonly required: boolean;
  /** As written in YAML; undefined when there is none. */
  readonly default: string | undefined;
  readonly secret: boolean;
  readonly doc: string;
}

/** Every setting in the order of the table, maps of settings before what is in them. */
export function describeSettings(): readonly SettingDescription[] {
  return describeEntries(entrySchema.entries, []);
}

function describeEntries(
  entries: v.ObjectEntries,
  parents: readonly string[],
): readonly SettingDescription[] {
  return Object.entries(entries).flatMap(([key, schema]) => {
    const wrapped = 'wrapped' in schema ? (schema.wrapped as v.GenericSchema) : (schema as v.GenericSchema);
    const children = 'entries' in wrapped ? (wrapped.entries as v.ObjectEntries) : undefined;
    const { type, secret: hidden } = v.getMetadata(wrapped) as { type?: string; secret?: boolean };
    const standard: unknown = v.getDefault(schema);
    const path = [...parents, key];
    return [
      {
        name: path.join('.'),
        variable: `REGISTRAR_${path.join('__').toUpperCase()}`,
        type: children === undefined ? (type ?? 'text') : 'settings',
        required: !('wrapped' in schema),
        default: typeof standard === 'string' ? standard : undefined,
        secret: hidden ?? false,
        doc: v.getDescription(wrapped) ?? '',
      },
      ...(children === undefined ? [] : describeEntries(children, path)),
    ];
  });
}
