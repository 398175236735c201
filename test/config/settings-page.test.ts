import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { describeSettings } from '../../lib/config/setting-descriptions.ts';
import { settingsPage } from '../../lib/config/settings-page.ts';

test('docs/configuration.md is what `settings --markdown` writes, every key with a meaning', () => {
  expect(readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8')).toBe(settingsPage());
  for (const { name, doc } of describeSettings()) expect(doc, name).not.toBe('');
});
