import * as v from 'valibot';
import { isMap, type RawSettings, type RawValue } from './document.ts';
import type { Entry } from './entry.ts';
import { withLayoutPreset } from './layout-presets.ts';
import { didYouMean } from './nearest.ts';
import { brokenRules, settingWarnings } from './rules.ts';
import { describeSettings, type SettingDescription } from './setting-descriptions.ts';
import { entrySchema } from './settings.ts';
import { signingScope } from './signing-scope.ts';

export interface ValidatedEntry {
  /** Undefined if there are problems. */
  readonly entry?: Entry;
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * Checks every setting and rule of an entry at once and applies the defaults.
 *
 * @param written the settings before references were resolved: what problems quote, so that no secret is ever shown (I10)
 */
export function validateEntry(resolved: RawSettings, written: RawSettings): ValidatedEntry {
  const settings = withLayoutPreset(resolved);
  const result = v.safeParse(entrySchema, settings, { abortPipeEarly: true });
  const problems = [
    ...unknownSettings(settings),
    ...(result.issues ?? []).map((issue) => describeIssue(issue, written)),
    ...brokenRules(settings, written),
  ];
  if (!result.success || problems.length > 0) return { problems, warnings: [] };

  const { kind, freshness, quarantine_url, catalog_sigv4, ...rest } = result.output;
  const signing = catalog_sigv4 && signingScope(catalog_sigv4, rest.catalog_uri, rest.catalog_warehouse);
  if (catalog_sigv4 && !signing) {
    const problem =
      'catalog_sigv4.region is missing: neither catalog_warehouse nor catalog_uri names a region';
    return { problems: [problem], warnings: [] };
  }
  const entry: Entry = {
    ...rest,
    quarantine_url: quarantine_url ?? `${rest.url}/_quarantine`,
    ...(freshness !== undefined && { freshness_ms: freshness }),
    ...(signing && { catalog_sigv4: signing }),
  };
  return { entry, problems, warnings: settingWarnings(settings) };
}

function unknownSettings(settings: RawSettings): readonly string[] {
  const known = new Map(describeSettings().map((setting) => [setting.name, setting.type]));
  const visit = (map: RawSettings, parents: readonly string[]): readonly string[] =>
    Object.entries(map).flatMap(([key, value]) => {
      const path = [...parents, key];
      const type = known.get(path.join('.'));
      if (type === undefined) {
        const siblings = [...known.keys()].filter((name) => isChild(name, parents));
        const near = didYouMean(
          key,
          siblings.map((name) => name.slice(name.lastIndexOf('.') + 1)),
        );
        return [`${path.join('.')} is not a setting${near}`];
      }
      return type === 'settings' && isMap(value) ? visit(value, path) : [];
    });
  return visit(settings, []);
}

function isChild(name: string, parents: readonly string[]): boolean {
  const path = name.split('.');
  return path.length === parents.length + 1 && parents.every((parent, at) => parent === path[at]);
}

function describeIssue(issue: v.BaseIssue<unknown>, written: RawSettings): string {
  const keys = (issue.path ?? []).map(({ key }) => String(key));
  const path = keys.join('.');
  const setting = settingAt(keys);
  if (issue.input === undefined) return `${path} is missing: ${setting?.doc ?? 'it must be set'}`;
  const value = valueAt(written, keys);
  const shown = setting !== undefined && isShown(setting) && typeof value === 'string';
  return `${path}:${shown ? ` "${withoutUser(value)}"` : ''} ${issue.message}`;
}

/** The setting at a path, or the list or map that the path leads into. */
function settingAt(keys: readonly string[]): SettingDescription | undefined {
  const settings = describeSettings();
  return keys
    .map((_, at) => keys.slice(0, keys.length - at).join('.'))
    .flatMap((name) => settings.find((setting) => setting.name === name) ?? [])
    .at(0);
}

/** Whether a value may be shown. Text in place of a map of settings is not, since it may be a secret that belongs inside. */
function isShown({ secret, type }: SettingDescription): boolean {
  return !secret && type !== 'settings';
}

/** The URL without a user and password. */
function withoutUser(value: string): string {
  return value.replace(/\/\/[^/]*@/, '//…@');
}

function valueAt(settings: RawSettings, keys: readonly string[]): RawValue | undefined {
  let value: RawValue | undefined = settings;
  for (const key of keys) {
    if (value === undefined || typeof value === 'string') return value;
    value = isMap(value) ? value[key] : value[Number(key)];
  }
  return value;
}
