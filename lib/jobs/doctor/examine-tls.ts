import type { Entry } from '../../config/entry.ts';
import type { ServerCertificate } from '../../ports/setup.ts';
import type { Clock } from '../../ports.ts';
import { type Found, notChecked, ok, warning } from './finding.ts';

const DAY_MS = 24 * 60 * 60_000;
/** Automatic renewals happen earlier than this. */
const SOON_MS = 14 * DAY_MS;

/** @param certificate undefined behind a proxy */
export async function examineTls(
  { catalog_ca_file, catalog_client_cert }: Entry,
  certificate: () => Promise<ServerCertificate | undefined>,
  clock: Clock,
): Promise<Found> {
  const shown = await certificate();
  if (shown === undefined) return notChecked('HTTPS_PROXY is set: the certificate is seen through it alone');
  const { protocol, subject, issuer, validToMs } = shown;
  const trust = catalog_ca_file === undefined ? 'the platform’s roots' : 'catalog_ca_file';
  const found = `${protocol}: "${subject}" by "${issuer}", trusted by ${trust}, valid until ${new Date(validToMs).toISOString().slice(0, 10)}${catalog_client_cert === undefined ? '' : '; a client certificate is configured'}`;
  return validToMs - clock.now() < SOON_MS ? warning(found, 'see that it is renewed in time') : ok(found);
}
