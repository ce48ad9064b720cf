/** Connections to other machines without TLS. Everybody on the way can read passwords, keys and messages. */
import { type Database, select } from '../../../models/db/database.js';
import { isOnThisMachine } from '../../support/mail-transport.js';
import { type Check, type CheckDeps, type Finding, warning } from '../check.js';

export const encryptionCheck: Check = {
  subject: 'encryption',
  fix: 'Check PostgreSQL first',
  async run({ config, db }) {
    return clearTextFindings(config, await isEncrypted(db).catch(() => true)); // another check says that PostgreSQL cannot be used
  },
};

/** The URL alone does not say it: `PGSSLMODE` may turn TLS on. Without both, the driver uses none. */
async function isEncrypted(db: Database): Promise<boolean> {
  const [row] = await select<{ ssl: boolean }>(db, 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
  return row?.ssl !== false;
}

interface Connection {
  setting: string;
  /** As in a URL; empty for a Unix socket. */
  host: string;
  isEncrypted: boolean;
  fix: string;
}

/** @param isDatabaseEncrypted whether PostgreSQL says so of its connection */
export const clearTextFindings = (config: CheckDeps['config'], isDatabaseEncrypted: boolean): Finding[] =>
  connectionsOf(config, isDatabaseEncrypted)
    .filter((connection) => !connection.isEncrypted && mayLeavePrivateNetwork(connection.host))
    .map(({ setting, host, fix }) => warning('encryption', `${setting}: the connection to ${host} is not encrypted`, fix));

type Given = Pick<CheckDeps['config'], 'databaseUrl' | 'redisUrl' | 'temporalServer' | 'tracing'>;

function connectionsOf({ databaseUrl, redisUrl, temporalServer, tracing }: Given, isDatabaseEncrypted: boolean): Connection[] {
  const { address, tls } = temporalServer;
  return [
    {
      setting: 'DATABASE_URL',
      host: databaseHost(databaseUrl),
      isEncrypted: isDatabaseEncrypted,
      fix: 'Add ?sslmode=verify-full, and sslrootcert=… for your own CA',
    },
    ...withScheme('REDIS_URL', redisUrl, 'rediss:'),
    {
      setting: 'TEMPORAL_ADDRESS',
      host: address.replace(/:\d+$/, ''),
      isEncrypted: tls !== undefined,
      fix: 'Set TEMPORAL_TLS=true, or the settings TEMPORAL_TLS_* or TEMPORAL_API_KEY that the server needs',
    },
    ...withScheme('OTEL_EXPORTER_OTLP_ENDPOINT', tracing.endpoint, 'https:'),
  ];
}

/** A connection whose URL says whether it is encrypted. */
function withScheme(setting: string, url: string | undefined, encrypted: string): Connection[] {
  if (url === undefined) return [];
  const { protocol, hostname: host } = new URL(url);
  return [{ setting, host, isEncrypted: protocol === encrypted, fix: `Use ${encrypted}` }];
}

/** The folder of a Unix socket begins with a slash. */
function databaseHost(url: string): string {
  const { hostname, searchParams } = new URL(url);
  const host = searchParams.get('host') ?? hostname;
  return host.startsWith('/') ? '' : host;
}

/** A name without a dot is one of a private network, for example that of docker compose. */
const mayLeavePrivateNetwork = (host: string): boolean => /[.:]/.test(host) && !isOnThisMachine(host);
