import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, get } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Certificate, type CertificateRequest, issueCertificate, makeAuthority } from '../../../local/tls/certificates.js';
import { prepareTls, tlsPaths } from '../../../local/tls/local-tls.js';
import { temporaryFolder } from '../processes/stand-in.js';

/** Asks a server with this certificate, trusting this authority: the status, or the reason why the client hung up. */
async function ask(host: string, certificate: Certificate, ca: string): Promise<number | string> {
  const server = createServer(certificate, (_request, response) => response.end('hello')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    return await new Promise((resolve) => {
      get(
        { host, port, ca, agent: false, lookup: (_name, _options, answer) => answer(null, [{ address: '127.0.0.1', family: 4 }]) },
        (response) => resolve(response.resume().statusCode ?? 0),
      ).on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    });
  } finally {
    server.close();
  }
}

describe('certificates', () => {
  let authority: Certificate;
  const issue = (request: CertificateRequest) => issueCertificate(authority, request);

  before(async () => {
    authority = await makeAuthority();
  });

  it('certificates are accepted for their names and addresses by clients that trust the authority', async () => {
    const certificate = await issue({ names: ['localhost'], addresses: ['127.0.0.1'] });
    assert.equal(await ask('127.0.0.1', certificate, authority.cert), 200);
    assert.equal(await ask('localhost', certificate, authority.cert), 200);
  });

  it('certificates are refused by clients that trust another authority of the same name', async () => {
    const stranger = await makeAuthority();
    assert.match(String(await ask('127.0.0.1', await issue({ addresses: ['127.0.0.1'] }), stranger.cert)), /UNABLE_TO_VERIFY|SIGNATURE/);
  });

  it('certificates are refused for another host', async () => {
    assert.equal(await ask('127.0.0.1', await issue({ names: ['other.example'] }), authority.cert), 'ERR_TLS_CERT_ALTNAME_INVALID');
  });

  it('expired certificates are refused', async () => {
    const expired = await issue({ addresses: ['127.0.0.1'], notAfter: new Date(Date.now() - 60_000) });
    assert.equal(await ask('127.0.0.1', expired, authority.cert), 'CERT_HAS_EXPIRED');
  });

  it('certificates that another certificate than the authority issued are refused', async () => {
    const leaf = await issue({ names: ['localhost'] });
    const forged = await issueCertificate(leaf, { addresses: ['127.0.0.1'] });
    const answer = await ask(
      '127.0.0.1',
      {
        ...forged,
        cert: `${forged.cert}
${leaf.cert}`,
      },
      authority.cert,
    );
    assert.equal(typeof answer, 'string', 'an error, not a status');
  });
});

describe('the TLS files of a folder', () => {
  const folder = temporaryFolder();
  after(() => folder.remove());

  it('TLS files are created once, readable by their owner only, without a key of the authority', async () => {
    await prepareTls(folder.path, undefined, assert.fail);
    const { cert, key, authority } = tlsPaths(folder.path);
    const before = readFileSync(cert, 'utf8');
    await prepareTls(folder.path, undefined, assert.fail);
    assert.equal(readFileSync(cert, 'utf8'), before);
    assert.equal(statSync(key).mode & 0o777, 0o600);
    assert.equal(await ask('127.0.0.1', { cert: before, key: readFileSync(key, 'utf8') }, readFileSync(authority, 'utf8')), 200);
  });

  it('TLS files trust what the user trusts, and a bundle that cannot be read is reported', async () => {
    const userBundle = join(folder.path, 'company.pem');
    const company = await makeAuthority('Company');
    writeFileSync(userBundle, company.cert);
    const bundle = readFileSync(await prepareTls(folder.path, userBundle, assert.fail), 'utf8');
    assert.ok(bundle.includes(company.cert.trim()) && bundle.includes(readFileSync(tlsPaths(folder.path).authority, 'utf8').trim()));
    const lines: string[] = [];
    await prepareTls(folder.path, '/nowhere.pem', (line) => lines.push(line));
    assert.deepEqual(lines, ['NODE_EXTRA_CA_CERTS /nowhere.pem cannot be read and is ignored']);
  });

  it('TLS files that are damaged or about to expire are replaced', async () => {
    const authority = await makeAuthority();
    const { cert } = tlsPaths(folder.path);
    writeFileSync(cert, (await issueCertificate(authority, { addresses: ['127.0.0.1'], days: 3 })).cert);
    await prepareTls(folder.path, undefined, assert.fail);
    const renewed = readFileSync(cert, 'utf8');
    writeFileSync(cert, 'no certificate');
    await prepareTls(folder.path, undefined, assert.fail);
    assert.notEqual(readFileSync(cert, 'utf8'), renewed);
  });
});
