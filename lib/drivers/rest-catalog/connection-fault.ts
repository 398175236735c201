import type { ErrorCode } from '../../errors.ts';
import { codeOf, isRefusedCertificate } from '../http.ts';

/** A fault in the setup of a connection, and the way out. */
export interface ConnectionFault {
  readonly code: Extract<ErrorCode, 'config.invalid' | 'auth.failed'>;
  readonly problem: string;
  readonly wayOut: string;
}

/**
 * Why there is no connection if waiting will not help: the error codes of OpenSSL and Node for a certificate that one side does not
 * accept. Undefined for temporary faults.
 */
export function connectionFault(cause: Error): ConnectionFault | undefined {
  if (isRefusedCertificate(cause)) return refusedCertificate;
  const code = codeOf(cause);
  return faults.find(([pattern]) => pattern.test(code))?.[1];
}

const refusedCertificate: ConnectionFault = {
  code: 'auth.failed',
  problem: 'the client certificate was refused, or none was sent',
  wayOut: 'set catalog_client_cert and catalog_client_key to a certificate that the server trusts',
};

const faults: readonly (readonly [RegExp, ConnectionFault])[] = [
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    {
      code: 'config.invalid',
      problem: 'the certificate of the server is for another name',
      wayOut: 'call it by a name in its certificate, or set catalog_server_name to one',
    },
  ],
  [
    /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/,
    {
      code: 'config.invalid',
      problem: 'the certificate of the server is not valid at this time',
      wayOut: 'renew it, or correct the clock',
    },
  ],
  [
    /^(UNABLE_TO_|CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED|INVALID_(CA|PURPOSE))/,
    {
      code: 'config.invalid',
      problem: 'the certificate of the server is not trusted',
      wayOut: 'set catalog_ca_file to the CA that signed it',
    },
  ],
  [
    /^UND_ERR_INVALID_ARG$/,
    {
      code: 'config.invalid',
      problem: 'the request cannot be written',
      wayOut: 'look for line breaks in catalog_token and catalog_headers',
    },
  ],
  [
    /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/,
    {
      code: 'config.invalid',
      problem: 'the server speaks no TLS',
      wayOut: 'change the port, or https:// to http://',
    },
  ],
];
