/** TLS and credentials for the connections to the program's servers, over networks that are shared with others. */
import { readFileSync } from 'node:fs';
import Joi from 'joi';

const file = (what: string) => Joi.string().description(`file (PEM) with ${what}`);
const pem = (name: string) => Joi.string().description(`the same as ${name}, as text instead of a file`);

/** The names are those of Temporal's environment configuration: https://docs.temporal.io/develop/environment-configuration */
export const connectionSettings: Record<string, Joi.Schema> = {
  TEMPORAL_API_KEY: Joi.string().description('API key for the Temporal server; implies TLS'),
  TEMPORAL_TLS: Joi.string()
    .valid('true', 'false')
    .description('TLS to the Temporal server (default: on when an API key or another TLS setting is given)'),
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: file('the certificate authority of the Temporal server, if the system does not trust it'),
  TEMPORAL_TLS_SERVER_CA_CERT_DATA: pem('TEMPORAL_TLS_SERVER_CA_CERT_PATH'),
  TEMPORAL_TLS_CLIENT_CERT_PATH: file('the client certificate for the Temporal server (mTLS)'),
  TEMPORAL_TLS_CLIENT_CERT_DATA: pem('TEMPORAL_TLS_CLIENT_CERT_PATH'),
  TEMPORAL_TLS_CLIENT_KEY_PATH: file('the key of the client certificate'),
  TEMPORAL_TLS_CLIENT_KEY_DATA: pem('TEMPORAL_TLS_CLIENT_KEY_PATH'),
  TEMPORAL_TLS_SERVER_NAME: Joi.string()
    .hostname()
    .description('name that the certificate of the Temporal server must have, if it is not the host name'),
};

/** The options of a connection to Temporal. Those of the client and of the worker have the same fields. */
export interface TemporalServer {
  address: string;
  /** Only the client reads them. */
  channelArgs: { 'grpc.enable_http_proxy': 0 };
  apiKey?: string;
  tls?: {
    serverNameOverride?: string;
    serverRootCACertificate?: Uint8Array;
    clientCertPair?: { crt: Uint8Array; key: Uint8Array };
  };
}

type Given = Record<string, string>;

/** The faults of the settings as a whole, one sentence each. */
export function connectionFaults(given: Given): string[] {
  const faults: string[] = [];
  const certificate = hasPem(given, 'TEMPORAL_TLS_CLIENT_CERT');
  if (certificate !== hasPem(given, 'TEMPORAL_TLS_CLIENT_KEY'))
    faults.push('TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH must be set together (or their _DATA forms)');
  if (given.TEMPORAL_API_KEY !== undefined && given.TEMPORAL_TLS === 'false')
    faults.push('TEMPORAL_API_KEY needs TLS: without it the key is sent in clear text');
  for (const name of files) {
    const path = given[name];
    if (path !== undefined && !isReadable(path)) faults.push(`${name}: the file ${path} cannot be read`);
  }
  if (given.PUBLIC_URL?.startsWith('https:') === true && given.TRUSTED_PROXIES === undefined)
    faults.push(
      'TRUSTED_PROXIES must be set if PUBLIC_URL is https: the addresses of the proxy that ends TLS, or none if there is no proxy',
    );
  return faults;
}

const files = ['TEMPORAL_TLS_SERVER_CA_CERT_PATH', 'TEMPORAL_TLS_CLIENT_CERT_PATH', 'TEMPORAL_TLS_CLIENT_KEY_PATH'];
const hasPem = (given: Given, name: string) => given[`${name}_PATH`] !== undefined || given[`${name}_DATA`] !== undefined;

function isReadable(path: string): boolean {
  try {
    readFileSync(path); // a folder can be accessed, but not read
    return true;
  } catch {
    return false;
  }
}

/**
 * Reads the settings of the connection to Temporal. They were checked before.
 * @param given names and values as in the environment
 * @throws Error if a file is no longer readable
 */
export function temporalServerOf(given: Given): TemporalServer {
  const apiKey = given.TEMPORAL_API_KEY;
  const serverRootCACertificate = pemOf(given, 'TEMPORAL_TLS_SERVER_CA_CERT');
  const [crt, key] = [pemOf(given, 'TEMPORAL_TLS_CLIENT_CERT'), pemOf(given, 'TEMPORAL_TLS_CLIENT_KEY')];
  const serverNameOverride = given.TEMPORAL_TLS_SERVER_NAME;
  const tls = {
    ...(serverNameOverride === undefined ? {} : { serverNameOverride }),
    ...(serverRootCACertificate === undefined ? {} : { serverRootCACertificate }),
    ...(crt === undefined || key === undefined ? {} : { clientCertPair: { crt, key } }),
  };
  const isImplied = apiKey !== undefined || Object.keys(tls).length > 0;
  const isTls = given.TEMPORAL_TLS === undefined ? isImplied : given.TEMPORAL_TLS === 'true';
  // The client would use the proxy of `http_proxy` even for this machine, and the worker would use none.
  const channelArgs = { 'grpc.enable_http_proxy': 0 } as const;
  return { address: given.TEMPORAL_ADDRESS ?? '', channelArgs, ...(apiKey === undefined ? {} : { apiKey }), ...(isTls ? { tls } : {}) };
}

function pemOf(given: Given, name: string): Uint8Array | undefined {
  const [path, data] = [given[`${name}_PATH`], given[`${name}_DATA`]];
  if (path !== undefined) return readFileSync(path);
  return data === undefined ? undefined : Buffer.from(data);
}
