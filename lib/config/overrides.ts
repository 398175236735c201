import { isMap, parseYaml, type RawSettings, type RawValue } from './document.ts';
import { didYouMean } from './nearest.ts';
import { describeSettings } from './setting-descriptions.ts';

const PREFIX = 'REGISTRAR_';
/** The variable that names the configuration itself. */
export const SOURCE = 'REGISTRAR_CONFIG';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A setting from the environment, which applies to every entry. */
export interface Override {
  readonly path: readonly string[];
  readonly value: RawValue;
}

/**
 * Reads the settings in the environment: `REGISTRAR_<KEY>`, nested `REGISTRAR_STORE__ENDPOINT`. Lists and maps are written as
 * in YAML (`[a, b]`, `{a: b}`), everything else is taken literally; an empty variable counts as unset.
 */
export async function readOverrides(env: Environment, problems: string[]): Promise<readonly Override[]> {
  const settings = new Map(describeSettings().map((setting) => [setting.variable, setting]));
  const overrides: Override[] = [];
  for (const [variable, text] of Object.entries(env)) {
    if (!variable.startsWith(PREFIX) || variable === SOURCE || text === undefined || text === '') continue;
    const setting = settings.get(variable);
    if (setting === undefined) {
      problems.push(`${variable} is not a setting${didYouMean(variable, [SOURCE, ...settings.keys()])}`);
      continue;
    }
    const path = setting.name.split('.');
    const isText = !['list', 'map', 'settings'].includes(setting.type);
    try {
      overrides.push({ path, value: isText ? text : await parseYaml(text) });
    } catch {
      problems.push(
        `${variable} must be a ${setting.type === 'list' ? 'list, [a, b]' : 'map, {a: b}'}, as in YAML`,
      );
    }
  }
  return overrides;
}

/** Returns the settings with one of them replaced. */
export function override(settings: RawSettings, { path: [key, ...rest], value }: Override): RawSettings {
  if (key === undefined) return settings;
  if (rest.length === 0) return { ...settings, [key]: value };
  const inner = settings[key];
  return { ...settings, [key]: override(isMap(inner) ? inner : {}, { path: rest, value }) };
}
