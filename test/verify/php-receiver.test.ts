/** The receiver in PHP, which handles one request and remembers nothing. */
import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { generateWebhookSecret } from '../../models/rules/webhooks/signed-headers.js';
import { until } from '../support/client.js';
import { changedCopy } from './slow-receiver.js';
import { event, has, useReceivers } from './use-receivers.js';

describe('receiver.php', () => {
  const { folder, old, secret, start, signed } = useReceivers();
  before(function () {
    if (!has('php')) this.skip();
  });

  it('receiver.php accepts signed events, and refuses forged ones', async () => {
    const { post, refused: logged } = await start('php', ['receiver.php']);
    const body = event('one');
    assert.equal(await post(body, signed(body)), 200);
    assert.equal(await post(body, signed(body, old)), 200, 'the secret that is being replaced');
    await until(() => logged().includes('message.sent one'), 'the event was handled');
    assert.equal(await post(event('two'), signed(body)), 403, 'another body');
    assert.equal(await post(body, signed(body, generateWebhookSecret())), 403, 'another secret');
    assert.equal(await post(body, signed(body, secret, uuidv7(), 400)), 403, 'too old');
    assert.equal(await post(body, {}), 403, 'no signature');
  });

  for (const secrets of ['', ' ', 'whsec_', `whsec_c2hvcnQ= `]) {
    it(`receiver.php returns 500 for an event signed with an empty key if WEBHOOK_SECRETS is "${secrets}"`, async () => {
      const { post } = await start('php', ['receiver.php'], secrets);
      const body = event('one');
      assert.equal(await post(body, signed(body, 'whsec_')), 500);
    });
  }
  /** As PHP does without a php.ini. */
  const displaysErrors = ['-d', 'display_errors=1'];

  it('receiver.php returns 500 when the handler throws, also while errors are displayed', async () => {
    const failing = changedCopy(folder, 'receiver.php', {
      name: 'failing.php',
      find: /error_log\("\{\$event.*/,
      replace: "throw new RuntimeException('it failed');",
    });
    const { post } = await start('php', [...displaysErrors, failing]);
    const body = event('one');
    assert.equal(await post(body, signed(body)), 500);
  });

  it('receiver.php returns 500 for a signed body that is not JSON, also while errors are displayed', async () => {
    const { post } = await start('php', [...displaysErrors, 'receiver.php']);
    assert.equal(await post('{', signed('{')), 500);
  });
});
