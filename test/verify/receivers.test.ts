/** The receivers to copy do what their comments say; the one in Node with the package as it would be installed. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { eventBody, type EventSubject, eventTypes, testEventBody } from '../../models/rules/webhooks/events.js';
import { generateWebhookSecret } from '../../models/rules/webhooks/signed-headers.js';
import { until } from '../support/client.js';
import { freePort } from '../support/network/free-port.js';
import { changedCopy, slowToFail } from './slow-receiver.js';
import { event, has, useReceivers } from './use-receivers.js';

describe('receivers', () => {
  const { folder, old, secret, start, compiled, startCompiled, signed } = useReceivers();
  const subject: EventSubject = {
    id: uuidv7(),
    channel: 'sms',
    to: '+15551234567',
    reference: null,
    batch_id: null,
    metadata: null,
    credits_used: 1000,
    provider_message_id: null,
    error_code: '30008',
    error_message: 'Unknown destination',
    delivered_at: new Date(),
  };

  for (const [program, ...args] of [
    [process.execPath, 'receiver.mjs'],
    ['python3', 'receiver.py'],
    ['go', 'receiver.go'],
  ] as const) {
    const [file] = args;
    it(`${file} handles each event once, and refuses forged ones`, async function () {
      if (!has(program)) this.skip();
      const { post, said, refused } = await (program === 'go' ? startCompiled(file) : start(program, args));
      const [first, second] = [event('one'), event('two')];
      const headers = signed(first);
      assert.deepEqual([await post(first, headers), await post(first, headers)], [200, 200]);
      assert.equal(await post(second, signed(second, old)), 200, 'the secret that is being replaced');
      assert.equal(await post(second, signed(first)), 403, 'another body');
      assert.equal(await post(second, signed(second, generateWebhookSecret())), 403, 'another secret');
      await until(() => /refused: .*signature/i.test(refused()), 'the reason is displayed');
      assert.equal(await post(second, signed(second, secret, uuidv7(), 400)), 403, 'too old');
      assert.equal(await post(second, signed(second, secret, uuidv7(), -400)), 403, 'from the future');
      assert.equal(await post(second, {}), 403, 'no signature');
      await until(() => said().split('\n').length >= 3, 'both were handled');
      assert.equal(said(), 'message.sent one\nmessage.sent two\n');
      for (const type of eventTypes) {
        const typed = eventBody(type, subject, new Date());
        assert.equal(await post(typed, signed(typed)), 200, type);
        await until(() => said().endsWith(`\n${type} ${subject.id}\n`), `${type} was handled`);
      }
      const test = testEventBody(uuidv7(), new Date());
      assert.equal(await post(test, signed(test)), 200, 'a test event, which is of no message');
      await until(() => /\nwebhook\.test *\n$/.test(said()), 'the test event was handled');
    });

    it(`${file} acknowledges no event while an attempt that may fail is being handled`, async function () {
      if (!has(program)) this.skip();
      const slow = slowToFail(folder, file);
      const { post } = await (program === 'go' ? startCompiled(slow) : start(program, [slow]));
      const body = event('one');
      const headers = signed(body);
      const first = post(body, headers);
      await until(async () => existsSync(join(folder, `${slow}.begun`)), 'the first attempt is being handled');
      assert.ok((await post(body, headers)) >= 500, 'the second attempt');
      writeFileSync(join(folder, `${slow}.fails`), '');
      assert.equal(await first, 500, 'the first attempt fails');
      assert.equal(await post(body, headers), 200, 'the third one');
    });

    const startAndFail = async (secrets: string) => {
      const env = { PATH: process.env.PATH, PORT: String(await freePort()), WEBHOOK_SECRETS: secrets };
      const options = { cwd: folder, env, encoding: 'utf8', timeout: 30_000 } as const;
      const { status, stderr } = program === 'go' ? spawnSync(compiled(file), options) : spawnSync(program, args, options);
      assert.equal(status, 1, stderr);
      return stderr;
    };

    it(`${file} does not start without a secret`, async function () {
      if (!has(program)) this.skip();
      assert.match(await startAndFail(''), /Set WEBHOOK_SECRETS/);
    });

    it(`${file} does not start with a malformed secret, and says what is wrong in one sentence`, async function () {
      if (!has(program)) this.skip();
      for (const secrets of ['whsec_', 'whsec_c2hvcnQ=', secret.slice(6), `${secret} ${secret.slice(0, 20)}`, `${secret.slice(0, -1)}!`]) {
        const said = await startAndFail(secrets);
        assert.match(said, /^(\S+ \S+ )?WEBHOOK_SECRETS must be .*whsec_ and base64.*\n/, secrets);
        assert.ok(!said.includes(secret.slice(6)), 'the secret is not shown');
      }
    });
  }

  it('receiver.py answers a request whose length is no number from 0 on', async function () {
    if (!has('python3')) this.skip();
    const { port } = await start('python3', ['receiver.py']);
    for (const length of ['-1', 'x']) {
      const socket = connect(port, '127.0.0.1');
      socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n\r\n{}`); // and the body does not end
      const [answer] = (await once(socket, 'data', { signal: AbortSignal.timeout(60_000) })) as [Buffer];
      assert.match(String(answer), /^HTTP\/1\.[01] 403 /, length);
      socket.destroy();
    }
  });

  for (const [program, file] of [
    ['python3', 'receiver.py'],
    ['go', 'receiver.go'],
  ] as const) {
    it(`${file} remembers the newest ids only, so that its memory has an end`, async function () {
      if (!has(program)) this.skip();
      const small = changedCopy(folder, file, { name: `small-${file}`, find: /(seenMax|SEEN_MAX) = 10_000/, replace: '$1 = 2' });
      const { post, said } = await (program === 'go' ? startCompiled(small) : start(program, [small]));
      const [first, second, third] = ['one', 'two', 'three'].map((name) => ({ body: event(name), id: uuidv7() }));
      for (const each of [first, second, third, third, second, first]) {
        assert.ok(each);
        assert.equal(await post(each.body, signed(each.body, secret, each.id)), 200);
      }
      await until(() => said().split('\n').length >= 5, 'the first one was handled again');
      assert.deepEqual(said().match(/one|two|three/g), ['one', 'two', 'three', 'one']);
    });
  }
});
