import { describe, expect, it } from 'vitest';
import { nearest } from '../../lib/config/nearest.ts';
import { describeSettings } from '../../lib/config/setting-descriptions.ts';

describe('describeSettings', () => {
  const settings = describeSettings();

  it('names every setting once, with its variable, its type and what it means', () => {
    expect(new Set(settings.map(({ name }) => name)).size).toBe(settings.length);
    for (const { name, variable, type, doc } of settings) {
      expect(variable).toBe(`REGISTRAR_${name.replaceAll('.', '__').toUpperCase()}`);
      expect(type).not.toBe('');
      if (type !== 'settings') expect(doc, name).not.toBe('');
    }
  });

  it.each([
    ['url', { required: true, default: undefined, type: 'store URL' }],
    ['retry.initial', { required: false, default: '200ms', type: 'duration' }],
    ['max_footer_bytes', { default: '64MiB', type: 'size', variable: 'REGISTRAR_MAX_FOOTER_BYTES' }],
    ['create_via', { default: 'auto', type: 'auto | register | commit | create' }],
    ['catalog_credential.client_id', { required: true, secret: false }],
    ['store', { type: 'settings' }],
  ])('describes %s', (name, expected) => {
    expect(settings.find((setting) => setting.name === name)).toMatchObject(expected);
  });

  it('I10: knows what is secret', () => {
    expect(settings.filter(({ secret }) => secret).map(({ name }) => name)).toEqual([
      'catalog_token',
      'catalog_credential.client_secret',
      'catalog_headers',
      'catalog_client_key',
      'store.access_key_id',
      'store.secret_access_key',
      'store.session_token',
    ]);
  });
});

describe('nearest', () => {
  it.each([
    ['catalog_url', 'catalog_uri'],
    ['Table', 'table'],
    ['tabel', 'table'],
    ['qqqqqq', undefined],
  ])('of %s is %s', (name, expected) => {
    expect(nearest(name, ['catalog_uri', 'table', 'url'])).toBe(expected);
  });
});
