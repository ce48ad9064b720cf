import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { httpClient } from '../../activities/handoff/providers/http-client.js';
import { smtpAdapter } from '../../activities/handoff/providers/smtp.js';
import { startCounterpart } from '../support/carriers/counterpart.js';
import { until } from '../support/client.js';
import { twilioAccount } from '../support/carriers/twilio.js';
import type { Opened } from './carriers/carrier.js';
import { openTwilio } from './carriers/http-carriers.js';
import type { Reaction, Behaviour } from './carriers/behaviour.js';
import { Reporter } from './carriers/reporter.js';
import { openSmtp } from './carriers/smtp-carrier.js';
import { type HistoryWriter, newToken, openHistory, readHistory } from './history.js';
import type { CarrierRecord } from './records.js';
import { randomOf } from './random.js';

describe('carriers of the battery', () => {
  const token = newToken(1, 1);
  let folder: string;
  let history: HistoryWriter;
  let carrier: Opened;
  let closing: AbortController;
  let callbacks: Awaited<ReturnType<typeof startCounterpart>>;
  const posted: string[] = [];
  const behaviour: Behaviour = { mode: 'usual', latency: () => ({ before: 20, after: 20 }), reaction: () => reaction };
  let reaction: Reaction;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tidings-chaos-test-'));
    history = openHistory(join(folder, 'history.jsonl'));
    closing = new AbortController();
    posted.length = 0;
    callbacks = await startCounterpart(({ body }, response) => {
      posted.push(new URLSearchParams(body).get('MessageStatus') ?? '');
      response.writeHead(posted.length === 1 ? 500 : 200).end();
    });
  });
  afterEach(async () => {
    closing.abort();
    await carrier.close();
    await callbacks.close();
    await history.close();
    rmSync(folder, { recursive: true });
  });
  /** A generator whose draws lead to an answer, at normal speed. */
  const usual = () => ({ ...randomOf(7), next: () => 0.5 });
  const deps = () => ({ history, behaviour, reporter: new Reporter(history, usual(), closing.signal), publicUrl: callbacks.url });
  const did = async () => {
    await history.flush();
    const records = readHistory(join(folder, 'history.jsonl')).filter(
      (record): record is CarrierRecord & { at: number } => record.type === 'carrier',
    );
    assert.ok(records.every((record) => record.token === token));
    return records.map((record) => record.did);
  };
  const send = async (signal = AbortSignal.timeout(15_000)) => {
    carrier = await openTwilio(deps());
    const client = httpClient(`http://${carrier.address}`);
    const form = {
      To: '+15552000001',
      From: twilioAccount.from,
      Body: `Hello ${token}`,
      StatusCallback: `${callbacks.url}/callbacks/twilio`,
    };
    const headers = {
      Authorization: `Basic ${Buffer.from(`${twilioAccount.sid}:${twilioAccount.token}`).toString('base64')}`,
      'Content-Type': 'application/x-www-form-urlencoded',
    };
    const path = `/2010-04-01/Accounts/${twilioAccount.sid}/Messages.json`;
    const request = { method: 'POST' as const, path, headers, body: new URLSearchParams(form).toString() };
    return client.call(request, signal).then(
      ({ status }) => status,
      () => undefined,
    );
  };

  it('carriers of the battery take a message, answer, and repeat the report until the answer is 2xx', async () => {
    reaction = { kind: 'answer' };
    assert.equal(await send(), 201);
    assert.deepEqual(await did(), ['received', 'took', 'answered']);
    await until(() => posted.includes('delivered') || posted.includes('undelivered'), 'the last report');
    assert.ok(posted.filter((status) => status === 'sent').length >= 1);
    assert.ok(posted.length >= 3, 'the first report, which got a 500, came again');
  });

  it('carriers of the battery refuse permanently, and take nothing', async () => {
    reaction = { kind: 'refuse' };
    assert.equal(await send(), 400);
    assert.deepEqual(await did(), ['received', 'refused', 'answered']);
  });

  it('carriers of the battery take a message and cut the connection', async () => {
    reaction = { kind: 'silence', takes: true, cuts: true };
    assert.equal(await send(), undefined);
    await until(async () => (await did()).includes('lost'), 'the connection is cut');
    assert.deepEqual(await did(), ['received', 'took', 'lost']);
  });

  it('carriers of the battery hang until the caller gives up, without an answer', async () => {
    reaction = { kind: 'silence', takes: false, cuts: false };
    const caller = new AbortController();
    const sent = send(caller.signal);
    await until(async () => (await did()).includes('received'), 'the call is there');
    caller.abort();
    assert.equal(await sent, undefined);
    await until(async () => (await did()).includes('lost'), 'the caller is gone');
    assert.deepEqual(await did(), ['received', 'lost']);
  });

  it('carriers of the battery answer 503 under overload, and take nothing', async () => {
    reaction = { kind: 'busy', status: 503, takes: false };
    assert.equal(await send(), 503);
    assert.deepEqual(await did(), ['received', 'busy', 'unclear', 'answered']);
  });

  it('carriers of the battery take mail by SMTP, and may lose the answer', async () => {
    carrier = await openSmtp(deps());
    const url = `smtp://${carrier.address}`;
    const adapter = smtpAdapter({ name: 'smtp', kind: 'smtp', url, from: 'hello@example.test' }, 'http://localhost:3000');
    const mail = { id: token, channel: 'email', to: 'ada@example.org', content: { text: `Hello ${token}` }, headers: {} };
    const sendMail = (signal: AbortSignal) => adapter.send(mail as unknown as Parameters<typeof adapter.send>[0], signal);
    reaction = { kind: 'answer' };
    assert.equal((await sendMail(AbortSignal.timeout(15_000))).outcome, 'accepted');
    assert.deepEqual(await did(), ['received', 'took', 'answered']);
    reaction = { kind: 'silence', takes: true, cuts: false };
    const caller = new AbortController();
    const sent = sendMail(caller.signal);
    await until(async () => (await did()).includes('lost'), 'the answer is lost');
    caller.abort();
    assert.equal((await sent).outcome, 'unknown');
    assert.deepEqual((await did()).slice(3), ['received', 'took', 'lost']);
  });
});
