import { plainSpelling } from '../spec/object-uri.ts';
import { parseTemplate, placeholders, templateProblem } from '../spec/path-template.ts';
import { isMap, type RawSettings, type RawValue } from './document.ts';
import { LAYOUT_PRESET_NAMES } from './layout-presets.ts';
import { didYouMean } from './nearest.ts';
import { DEFAULT_LAYOUT, DEFAULT_TABLE } from './settings.ts';

/**
 * Checks the rules that concern several settings, and returns the path and the problem for each violation.
 *
 * @param written the settings before references were resolved, which is what problems quote
 */
export function brokenRules(settings: RawSettings, written: RawSettings): readonly string[] {
  return [
    ...catalogRules(settings),
    ...queueRules(settings),
    ...storeRules(settings),
    ...layoutRules(settings, written),
  ];
}

/** Warnings about settings that are allowed but unwise. */
export function settingWarnings(settings: RawSettings): readonly string[] {
  return [...cleartextWarnings(settings), ...credentialWarnings(settings)];
}

/** Warns about the catalog's own token endpoint, which the specification has deprecated (F8). */
function credentialWarnings(settings: RawSettings): readonly string[] {
  const credential = settings['catalog_credential'];
  if (credential === undefined || member(credential, 'oauth2_server_uri') !== undefined) return [];
  return [
    'catalog_credential.oauth2_server_uri is not set: tokens come from the catalog’s own endpoint, which the Iceberg specification deprecates; set it where there is another',
  ];
}

/** Warns about credentials that are sent unencrypted to another machine. */
function cleartextWarnings(settings: RawSettings): readonly string[] {
  const credential = settings['catalog_credential'];
  const uris = [
    { path: 'catalog_uri', uri: settings['catalog_uri'], sends: hasCredentials(settings) },
    {
      path: 'catalog_credential.oauth2_server_uri',
      uri: member(credential, 'oauth2_server_uri'),
      sends: true,
    },
  ];
  return uris
    .filter(({ uri, sends }) => sends && isCleartext(uri))
    .map(({ path }) => `${path}: credentials go over plain http to a host other than this one; use https`);
}

function catalogRules(settings: RawSettings): readonly string[] {
  const has = (key: string) => settings[key] !== undefined;
  const problems: string[] = [];
  const google = startsWith(settings['catalog_google'], 'true');
  const schemes = [
    ...['catalog_token', 'catalog_credential', 'catalog_sigv4'].filter(has),
    ...(google ? ['catalog_google'] : []),
    ...(authorizes(settings['catalog_headers']) ? ['catalog_headers.authorization'] : []),
  ];
  if (schemes.length > 1) {
    problems.push(`${schemes.join(', ')}: only one way to authenticate can be set; leave out the others`);
  }
  if (google && isCleartext(settings['catalog_uri'])) {
    problems.push(
      'catalog_google: a Google token is never sent over plain http; use an https:// catalog_uri',
    );
  }
  if (has('catalog_client_cert') !== has('catalog_client_key')) {
    problems.push(
      'catalog_client_cert, catalog_client_key: a certificate needs its key and a key its certificate; set both or neither',
    );
  }
  const tls = ['catalog_ca_file', 'catalog_client_cert', 'catalog_client_key', 'catalog_server_name'].filter(
    has,
  );
  if (tls.length > 0 && !startsWith(settings['catalog_uri'], 'https://')) {
    problems.push(`${tls.join(', ')}: these need an https:// catalog_uri; change it, or leave them out`);
  }
  return problems;
}

function authorizes(headers: RawValue | undefined): boolean {
  return isMap(headers) && Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
}

/** SQS tells the kind of a queue by its name: exactly those of FIFO queues end in `.fifo`. */
function queueRules({ queues }: RawSettings): readonly string[] {
  const isFifo = (key: string) => {
    const url = member(queues, key);
    return typeof url === 'string' && /^https?:/i.test(url) ? url.endsWith('.fifo') : undefined;
  };
  return [
    ...(isFifo('registrations') === false
      ? ['queues.registrations: it must be a FIFO queue, whose name ends in ".fifo"']
      : []),
    ...(isFifo('arrivals') === true
      ? ['queues.arrivals: it must be a standard queue, since object stores cannot notify a FIFO queue']
      : []),
  ];
}

function storeRules(settings: RawSettings): readonly string[] {
  const store = settings['store'];
  const has = (key: string) => member(store, key) !== undefined;
  const problems: string[] = [];
  if (has('access_key_id') !== has('secret_access_key')) {
    problems.push(
      'store.access_key_id, store.secret_access_key: an access key needs its secret and a secret its access key; set both or neither',
    );
  }
  if (has('session_token') && !has('access_key_id')) {
    problems.push('store.session_token: only with store.access_key_id and store.secret_access_key');
  }
  if (startsWith(member(store, 'endpoint'), 'http://') && !startsWith(member(store, 'allow_http'), 'true')) {
    problems.push('store.endpoint: an endpoint of http:// needs "allow_http: true"; set it, or use https');
  }
  const url = withSlash(settings['url']);
  const quarantine = withSlash(settings['quarantine_url']);
  if (url !== undefined && quarantine !== undefined && url.startsWith(quarantine)) {
    problems.push(
      'quarantine_url: url is inside it, so no segment would be read; move the quarantine beside or below url',
    );
  }
  return problems;
}

function layoutRules(settings: RawSettings, written: RawSettings): readonly string[] {
  const layout = settings['layout'] ?? DEFAULT_LAYOUT;
  const table = settings['table'] ?? DEFAULT_TABLE;
  const location = settings['table_location'];
  if (typeof layout !== 'string' || typeof table !== 'string') return [];
  const quoted = (key: string) => `${key}: "${written[key] ?? (key === 'layout' ? layout : table)}"`;
  if (!layout.startsWith('{url}/')) {
    const near = didYouMean(layout, LAYOUT_PRESET_NAMES);
    return [
      `${quoted('layout')} must begin with {url}/, or be the name of a shipper (${LAYOUT_PRESET_NAMES.join(', ')})${near}`,
    ];
  }

  // Its default prefix begins with the year.
  if (written['layout'] === 'firehose' && settings['from'] === undefined) {
    return [
      `${quoted('layout')} needs from, the list of datasets: a stream without its own prefix writes to 2026/01/31/10/…, which would create a table "2026"`,
    ];
  }

  const inLayout = placeholders(layout).filter((name) => name !== 'url');
  const known = settings['pipeline'] === undefined ? inLayout : [...inLayout, 'pipeline'];
  const inTable = placeholders(table);
  const inLocation =
    typeof location === 'string' && location !== 'catalog' ? placeholders(location) : undefined;
  const problems = Object.entries({ table: inTable, table_location: inLocation ?? [] }).flatMap(
    ([key, names]) =>
      names
        .filter((name) => !known.includes(name))
        .map((name) => `${quoted(key)} contains {${name}}, which the layout does not name`),
  );
  if (inLayout.includes('dataset') && !inTable.includes('dataset')) {
    problems.push(`${quoted('table')} must contain {dataset}, since each dataset has its own table`);
  }
  for (const name of inLocation === undefined ? [] : inTable.filter((name) => !inLocation.includes(name))) {
    problems.push(`${quoted('table_location')} must contain {${name}}, or tables would share a location`);
  }
  if (location === undefined && tableInFileName(layout, ['dataset', ...inTable])) {
    problems.push(
      `${quoted('layout')} names the table in the file name, so tables would share a directory; set table_location, such as s3://bucket/tables/{dataset}`,
    );
  }
  if (location === undefined && ownFolderInLayout(layout, ['dataset', ...inTable])) {
    problems.push(
      `${quoted('layout')} puts segments in data/ or metadata/ below the table’s location, where the table keeps its own files; set table_location elsewhere`,
    );
  }
  return problems;
}

/** Whether the table's name is in the file name, so that tables share directories. */
function tableInFileName(layout: string, naming: readonly string[]): boolean {
  if (templateProblem(layout) !== undefined) return false;
  const { segments, openEnded } = parseTemplate(layout);
  return !openEnded && (segments.at(-1)?.names.some((name) => naming.includes(name)) ?? false);
}

/** Whether the path segment after the table's last name is one that every table keeps for its own files (I11). */
function ownFolderInLayout(layout: string, naming: readonly string[]): boolean {
  const { segments } = parseTemplate(layout);
  const last = segments.findLastIndex(({ names }) => names.some((name) => naming.includes(name)));
  const next = segments[last + 1];
  return next?.names.length === 0 && (next.literals[0] === 'data' || next.literals[0] === 'metadata');
}

function hasCredentials(settings: RawSettings): boolean {
  return ['catalog_token', 'catalog_credential', 'catalog_headers'].some(
    (key) => settings[key] !== undefined,
  );
}

function isCleartext(uri: RawValue | undefined): boolean {
  const url = typeof uri === 'string' ? URL.parse(uri) : null;
  return url?.protocol === 'http:' && !/^(localhost|127\..*|\[::1\])$/.test(url.hostname);
}

function startsWith(value: RawValue | undefined, prefix: string): boolean {
  return typeof value === 'string' && value.toLowerCase().startsWith(prefix);
}

function withSlash(url: RawValue | undefined): string | undefined {
  return typeof url === 'string' ? `${plainSpelling(url).replace(/\/$/, '')}/` : undefined;
}

function member(value: RawValue | undefined, key: string): RawValue | undefined {
  return isMap(value) ? value[key] : undefined;
}
