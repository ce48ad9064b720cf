import assert from 'node:assert/strict';
import { type SesCounterpart, sesEnv, sesEvent, startSes } from '../../support/carriers/ses.js';
import type { TestApp } from '../start-app.js';
import { useApi } from '../use-api.js';

describe('a callback of Amazon SNS', () => {
  let ses: SesCounterpart;
  before(async () => {
    ses = await startSes();
  });
  after(() => ses.close());
  const post = async (app: TestApp, version: '1' | '2', changes: object = {}) => {
    const envelope = ses.topic.envelope(ses.url, sesEvent('Delivery', 'ses-1'), version);
    const { status } = await app.call('POST', '/callbacks/ses', { body: JSON.stringify({ ...envelope, ...changes }) });
    return status;
  };

  describe('without SES_SNS_SHA1', () => {
    const app = useApi({ env: () => sesEnv(ses) });

    it('200 for an SNS callback with SHA-256 and 403 for one with SHA-1, and the log says what to set on the topic', async () => {
      const lines: unknown[][] = [];
      app.deps.logger.warn = (...line: unknown[]) => void lines.push(line);
      assert.deepEqual([await post(app, '2'), await post(app, '1', { Message: '{}' }), lines], [200, 403, []]);
      assert.equal(await post(app, '1'), 403);
      const [[fields, text] = []] = lines;
      assert.deepEqual([lines.length, fields], [1, { provider: 'ses' }]);
      assert.match(String(text), /SHA-1; set SignatureVersion 2 on the topic/);
    });
  });

  describe('that names a certificate which SNS does not have', () => {
    const app = useApi({ env: () => sesEnv(ses) });

    it('403 for an SNS callback with an invented certificate, and the real one stays in the cache', async () => {
      assert.equal(await post(app, '2'), 200);
      const fetched = ses.certificates;
      const invented = (number: number) => post(app, '2', { SigningCertURL: `${ses.url}/SimpleNotificationService-${number}.pem` });
      for (let number = 1; number < 15; number += 1) assert.equal(await invented(number), 403);
      assert.equal(await post(app, '2'), 200);
      assert.equal(ses.certificates, fetched);
    });
  });

  describe('with SES_SNS_SHA1=allow', () => {
    const app = useApi({ env: () => ({ ...sesEnv(ses), SES_SNS_SHA1: 'allow' }) });

    it('200 for an SNS callback with SHA-1 and with SHA-256 where SES_SNS_SHA1=allow', async () => {
      assert.deepEqual([await post(app, '1'), await post(app, '2')], [200, 200]);
    });
  });
});
