import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { runChecks } from '../../activities/doctor/check.js';
import { temporalCheck } from '../../activities/doctor/checks/temporal.js';
import { type Certificate, issueCertificate, makeAuthority } from '../../local/tls/certificates.js';
import { restClient, until } from '../support/client.js';
import { testConfig, testEnv } from '../support/config.js';
import { rows } from '../support/database.js';
import { useDatabase } from '../support/for-each.js';
import { child } from '../support/parts/child.js';
import { asProgram } from '../support/servers.js';
import { type Service, startService } from '../support/service.js';

/** Ends TLS in front of a plain server, as a proxy does, and lets in only who shows a certificate of this authority. */
async function startTlsFront(address: string, authority: Certificate, own: Certificate): Promise<Server> {
  const [host, port] = address.split(':');
  const options = { ...own, ca: authority.cert, requestCert: true, rejectUnauthorized: true, ALPNProtocols: ['h2'] };
  const front = createServer(options, (client) => {
    const server = connect(Number(port), host);
    client.on('error', () => server.destroy());
    server.on('error', () => client.destroy());
    client.pipe(server).pipe(client);
  });
  front.on('tlsClientError', () => undefined);
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  return front;
}

describe('encrypted connections', () => {
  const database = useDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'tidings-links-'));
  const file = (name: string, content: string) => {
    const path = join(folder, name);
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  };
  let authority: Certificate;
  let front: Server | undefined;
  let service: Service | undefined;

  before(async () => {
    authority = await makeAuthority();
  });
  afterEach(async () => {
    await service?.stop();
    service = undefined;
    front?.close();
  });
  after(() => rmSync(folder, { recursive: true }));

  const temporalEnv = async () => {
    front = await startTlsFront(
      process.env.TEST_TEMPORAL ?? '',
      authority,
      await issueCertificate(authority, { names: ['temporal.internal'] }),
    );
    const client = await issueCertificate(authority, { names: ['worker.internal'], isClient: true });
    return {
      TEMPORAL_ADDRESS: `127.0.0.1:${(front.address() as AddressInfo).port}`,
      TEMPORAL_TLS_SERVER_NAME: 'temporal.internal',
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: file('authority.pem', authority.cert),
      TEMPORAL_TLS_CLIENT_CERT_PATH: file('client.pem', client.cert),
      TEMPORAL_TLS_CLIENT_KEY_PATH: file('client.key', client.key),
    };
  };

  it('a message is delivered over TLS with a client certificate for Temporal', async () => {
    service = await startService({ apiIsHere: true, env: await temporalEnv() });
    const client = restClient(service.url);
    const account = await client.signUp();
    const { id } = await client.send(account);
    await client.messageUntil(account, id, ({ status }) => status === 'delivered');
  });

  it('a worker ends at its start with an untrusted certificate of Temporal', async () => {
    const stranger = await makeAuthority('somebody else');
    const env = { ...(await temporalEnv()), TEMPORAL_TLS_SERVER_CA_CERT_PATH: file('stranger.pem', stranger.cert) };
    const log = file('log', '');
    const worker = child('activities/worker.js', testEnv({ PATH: process.env.PATH, DATABASE_URL: asProgram(database.url), ...env }), log);
    await assert.rejects(worker.start(), /worker\.js ended with 1/);
    const reason = `Temporal at ${env.TEMPORAL_ADDRESS} (TEMPORAL_ADDRESS) cannot be used: self-signed certificate in certificate chain`;
    assert.equal(readFileSync(log, 'utf8'), `${reason}\n`);
    const config = testConfig({ DATABASE_URL: database.url, ...env });
    const [finding] = await runChecks([temporalCheck], { config, db: database.db });
    assert.deepEqual([finding?.state, finding?.detail], ['failed', reason]);
  });

  it('a process reaches PostgreSQL over TLS, and refuses an untrusted certificate', async () => {
    const own = await issueCertificate(authority, { names: ['localhost'], addresses: ['127.0.0.1'] });
    const [shown] = await rows<{ data_directory: string }>(database.db, 'SHOW data_directory');
    const cluster = shown?.data_directory ?? '';
    const { uid, gid } = statSync(cluster);
    for (const [name, content] of [
      ['tls.pem', own.cert],
      ['tls.key', own.key],
    ] as const) {
      writeFileSync(join(cluster, name), content, { mode: 0o600 });
      chownSync(join(cluster, name), uid, gid);
    }
    for (const [name, value] of [
      ['ssl_cert_file', 'tls.pem'],
      ['ssl_key_file', 'tls.key'],
      ['ssl', 'on'],
    ])
      await rows(database.db, `ALTER SYSTEM SET ${name} = '${value}'`);
    await rows(database.db, 'SELECT pg_reload_conf()');
    const askBy = (ca: string) => {
      const url = `${asProgram(database.url)}?sslmode=verify-full&sslrootcert=${encodeURIComponent(file('ca.pem', ca))}`;
      const script = `
        import { connect, select } from ${JSON.stringify(resolve(import.meta.dirname, '../../models/db/database.js'))};
        const db = connect(process.argv[1], 2);
        const [row] = await select(db, 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
        process.stdout.write(String(row.ssl));
        await db.close();`;
      return execFileSync(process.execPath, ['--input-type=module', '-e', script, url], { encoding: 'utf8', stdio: 'pipe' });
    };
    await until(() => askBy(authority.cert) === 'true', 'PostgreSQL has read its new settings');
    const stranger = (await makeAuthority('somebody else')).cert;
    assert.throws(() => askBy(stranger), /certificate|self-signed|unable to verify/);
  });
});
