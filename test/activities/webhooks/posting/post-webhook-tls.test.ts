import assert from 'node:assert/strict';
import { type AddressInfo, createServer } from 'node:net';
import { generate } from 'selfsigned';
import { type WebhookPoster, webhookPoster } from '../../../../activities/webhooks/post-webhook.js';
import { issueCertificate, makeAuthority } from '../../../../local/tls/certificates.js';
import { testConfig } from '../../../support/config.js';
import { acknowledge, certificateFor, startReceiver, trustTestAuthority } from '../../../support/network/receiver.js';

describe('webhookPoster, to receivers that cannot prove who they are', () => {
  let poster: WebhookPoster;
  before(async () => {
    await trustTestAuthority();
    poster = webhookPoster(testConfig());
  });
  after(() => poster.close());
  /** The outcome of a POST there. */
  const post = async (url: string) => {
    const { error, responseStatus, responseBody } = await poster.post(url, { 'webhook-id': 'evt-1' }, '{}');
    return { error, responseStatus, responseBody };
  };
  const failed = { error: 'tls', responseStatus: null, responseBody: null };

  it('a POST to a receiver without TLS fails', async () => {
    const server = createServer((socket) => void socket.on('error', () => undefined).end('HTTP/1.1 200 OK\r\n\r\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    assert.deepEqual(await post(`https://127.0.0.1:${port}/`), failed);
    server.close();
  });

  const target = { names: ['localhost'], addresses: ['127.0.0.1'] };
  const badCertificates = {
    expired: () => certificateFor({ ...target, notAfter: new Date(Date.now() - 60_000) }),
    'for another host': () => certificateFor({ names: ['other.test'], addresses: ['127.0.0.2'] }),
    'of an authority that nobody trusts': async () => issueCertificate(await makeAuthority('Nobody'), target),
    'self-signed': async () => selfSigned(),
    'meant for signing others': () => makeAuthority('127.0.0.1'),
  };
  for (const [what, make] of Object.entries(badCertificates)) {
    it(`nothing is sent to a receiver whose certificate is ${what}`, async () => {
      const receiver = await startReceiver(acknowledge, await make());
      assert.deepEqual(await post(receiver.url), failed);
      assert.deepEqual(receiver.received, []);
      await receiver.close();
    });
  }
});

async function selfSigned() {
  const { cert, private: key } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  return { cert, key };
}
