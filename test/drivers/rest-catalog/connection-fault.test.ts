import { expect, test } from 'vitest';
import { connectionFault } from '../../../lib/drivers/rest-catalog/connection-fault.ts';

/** The codes were met with Caddy, Node and OpenSSL 3. */
test.each([
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'config.invalid', 'catalog_ca_file'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'config.invalid', 'catalog_ca_file'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'config.invalid', 'catalog_ca_file'],
  ['CERT_HAS_EXPIRED', 'config.invalid', 'renew'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'config.invalid', 'catalog_server_name'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'config.invalid', 'port'],
  ['UND_ERR_INVALID_ARG', 'config.invalid', 'line breaks'],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'auth.failed', 'catalog_client_cert'],
  ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'auth.failed', 'catalog_client_cert'],
  ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'auth.failed', 'catalog_client_cert'],
  ['ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE', 'auth.failed', 'catalog_client_cert'],
])('connectionFault of %s is %s, and the way out %s', (code, expected, wayOut) => {
  const fault = connectionFault(Object.assign(new Error('refused'), { code }));
  expect(fault).toMatchObject({ code: expected, wayOut: expect.stringContaining(wayOut) });
});

test.each(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'UND_ERR_SOCKET', 'UND_ERR_CONNECT_TIMEOUT', ''])(
  'connectionFault of %s is none: it may pass',
  (code) => {
    expect(connectionFault(Object.assign(new Error('gone'), { code }))).toBeUndefined();
  },
);
