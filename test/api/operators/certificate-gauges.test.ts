import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:https';
import { rootCertificates } from 'node:tls';
import { createCertificateReader } from '../../../api/metrics/certificate-gauges.js';
import { apiMetrics } from '../../../models/metrics/catalogue.js';
import { until } from '../../support/client.js';
import { certificateFor, type Receiver, startReceiver } from '../../support/network/receiver.js';

const dayMs = 86_400_000;

describe('the certificates of the public addresses', () => {
  let receiver: Receiver;
  const expiry = async () => {
    const { values } = await apiMetrics.certificateEnd.get();
    return new Map(values.map(({ labels, value }) => [labels.address, value * 1000]));
  };
  before(async () => {
    receiver = await startReceiver(undefined, await certificateFor({ addresses: ['127.0.0.1'], names: [] }));
  });
  after(() => receiver.close());

  it('the gauge of certificates shows when they end, also of certificates that clients refuse', async () => {
    const asked = get(receiver.url, { agent: false, ca: [...rootCertificates] }); // this process may trust the authority of the tests
    await assert.rejects(once(asked, 'response'), { code: /^(UNABLE_TO_VERIFY_LEAF_SIGNATURE|SELF_SIGNED_CERT_IN_CHAIN)$/ });
    createCertificateReader({ publicUrl: receiver.url, callbackUrl: receiver.url })();
    await until(async () => (await expiry()).size === 2, 'both certificates are read');
    for (const [address, end] of await expiry()) assert.ok(end > Date.now() + dayMs, String(address));
  });
  it('the gauge of certificates has no value while the server does not answer, and none without TLS', async () => {
    apiMetrics.certificateEnd.reset();
    const { port } = receiver;
    await receiver.close();
    apiMetrics.certificateEnd.set({ address: 'public' }, 1);
    createCertificateReader({ publicUrl: `https://127.0.0.1:${port}`, callbackUrl: `http://127.0.0.1:${port}` })();
    await until(async () => (await expiry()).size === 0, 'the old value is gone');
    receiver = await startReceiver();
  });
});
