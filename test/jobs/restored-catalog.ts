/**
 * Takes a table back to an older metadata file, as a catalog that comes back from a backup has it: every file stays, and nobody is told.
 *
 * @param prefix of the catalog's tables, `http://host/v1`
 */
export async function restore(
  prefix: string,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  metadataLocation: string,
): Promise<void> {
  const tables = `${prefix}/namespaces/${namespace}`;
  await expectOk(fetch(`${tables}/tables/${name}?purgeRequested=false`, { method: 'DELETE' }));
  await expectOk(
    fetch(`${tables}/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name, 'metadata-location': metadataLocation }),
    }),
  );
}

async function expectOk(sent: Promise<Response>): Promise<void> {
  const response = await sent;
  if (!response.ok) throw new Error(`${response.url} answered ${response.status} ${await response.text()}`);
}
