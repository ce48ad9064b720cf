import assert from 'node:assert/strict';
import { until } from '../support/client.js';
import { type Ended, runCommand } from './run-command.js';
import { runHere, startHere } from './run-here.js';
import { type ScriptedServer, startScriptedServer } from './scripted-server.js';

const id = '01a21ab3-1a66-7580-bdef-bf85b51fc394';
const created_at = '2026-01-01T00:00:00.000Z';
const message = (fields: object) => ({ id, created_at, scheduled_at: null, credits_used: 1, error_code: null, ...fields });
const answer = (status: number, fields: object) => ({ status, body: { success: true, data: { message: message(fields) } } });
const accepted = answer(201, { status: 'queued', status_detail: 'accepted' });
const waits = answer(200, { status: 'sent', status_detail: 'awaiting_report' });
const undecided = answer(200, { status: 'sent', status_detail: 'unknown' });
const delivered = answer(200, { status: 'delivered', status_detail: 'delivered' });

describe('tidings send --wait', () => {
  let server: ScriptedServer;
  beforeEach(async () => {
    server = await startScriptedServer();
  });
  afterEach(() => server.close());
  const send = (...args: string[]): Promise<Ended> =>
    runCommand(['send', '+15551234567', 'Hello', '--wait', ...args], { TIDINGS_API_KEY: 'tidings_x', TIDINGS_URL: server.url });

  it('send --wait ends with 4 and the message when the time of --timeout is over', async () => {
    server.answers = [accepted, waits];
    const { code, stdout, stderr } = await send('--timeout', '1');
    assert.equal(code, 4);
    assert.match(stdout, new RegExp(`^${id}  sent +1 credit\n$`));
    assert.equal(stderr, `accepted: ${id}\ntidings: the message is sent, but not decided after 1 second: see tidings timeline ${id}\n`);
  });

  it('send --wait ends with 4 at once when no delivery report will come', async () => {
    server.answers = [accepted, waits, undecided];
    const { code, stdout, stderr } = await send('--json');
    assert.equal(code, 4);
    assert.equal((JSON.parse(stdout) as { status_detail: string }).status_detail, 'unknown');
    const error = { message: `the message is sent, and no delivery report arrived: see tidings timeline ${id}` };
    assert.deepEqual(
      stderr
        .trim()
        .split('\n')
        .map((line): unknown => JSON.parse(line)),
      [{ accepted: { id } }, { error }],
    );
  });

  it('send --wait counts the time of a scheduled message from when it is due', async () => {
    const later = { scheduled_at: '2026-01-01T00:10:00.000Z' };
    const scheduled = { status: 'queued', status_detail: 'scheduled', ...later };
    server.answers = [answer(201, scheduled), answer(200, scheduled), answer(200, scheduled), delivered];
    const { code, stderr } = await send('--timeout', '1');
    assert.deepEqual([code, stderr, server.requests.length], [0, `accepted: ${id}\n`, 4]);
  });

  const env = () => ({ TIDINGS_API_KEY: 'tidings_x', TIDINGS_URL: server.url });
  const revoked = { status: 401, body: { success: false, error: 'Invalid API key', code: 'unauthorized', message: 'Invalid API key' } };

  it('send --wait exits with 4 and names the message if the wait fails after the acceptance', async () => {
    for (const args of [
      ['send', '+15551234567', 'Hello', '--wait'],
      ['trigger', 'message.delivered'],
    ]) {
      server.answers = [accepted, revoked];
      const { code, stdout, stderr } = await runHere(args, env());
      assert.deepEqual([code, stdout], [4, '']);
      const why = `message ${id} was accepted, but the wait for it failed: Invalid API key: see tidings timeline ${id}`;
      assert.equal(stderr, `accepted: ${id}\ntidings: ${why}\n`);
    }
  });

  it('Ctrl-C during a wait exits with 130 and names the message', async () => {
    server.answers = [accepted, 'hang'];
    const running = startHere(['send', '+15551234567', 'Hello', '--wait', '--json'], env());
    await until(() => server.requests.length === 2, 'it waits');
    assert.equal(running.stderr(), `{"accepted":{"id":"${id}"}}\n`);
    running.interrupt();
    const { code, stderr } = await running.ended;
    assert.equal(code, 130);
    const [, last = ''] = stderr.trim().split('\n');
    assert.match((JSON.parse(last) as { error: { message: string } }).error.message, new RegExp(`^message ${id} was accepted, but `));
  });

  it('send exits with 2 for a timeout without --wait or of no whole seconds', async () => {
    assert.equal((await send('--timeout', '0')).code, 2);
    assert.equal((await send('--timeout', 'soon')).code, 2);
    const { code, stderr } = await runCommand(['send', 'a', 'b', '--timeout', '5'], {});
    assert.deepEqual([code, stderr], [2, 'tidings: --timeout requires --wait\n']);
    assert.deepEqual(server.requests, []);
  });
});
