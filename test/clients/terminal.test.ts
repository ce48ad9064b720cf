import assert from 'node:assert/strict';
import { Terminal } from '../../clients/typescript/command/terminal.js';
import { startReceiver } from '../support/network/receiver.js';
import { runCommand } from './run-command.js';
import { runHere } from './run-here.js';
import { type Scripted, type ScriptedServer, startScriptedServer } from './scripted-server.js';

describe('what the command tidings writes', () => {
  let server: ScriptedServer;
  before(async () => {
    server = await startScriptedServer();
  });
  after(() => server.close());
  const full = { outputFault: 'ENOSPC' };
  const why = 'standard output cannot be written: ENOSPC: write';
  const run = (args: readonly string[], answer: Scripted, surroundings: Parameters<typeof runHere>[2]) => {
    server.answers = [answer];
    return runHere(args, { TIDINGS_API_KEY: 'tidings_x', TIDINGS_URL: server.url }, surroundings);
  };
  const accepted = { id: 'm-1', scheduled_at: null, status: 'queued', credits_used: 1, error_code: null };
  const sent: Scripted = { status: 201, body: { success: true, data: { message: accepted } } };

  it('send exits with 4 and shows the accepted message on standard error if standard output cannot be written', async () => {
    const { code, stderr } = await run(['send', '+15551234567', 'Hello'], sent, full);
    assert.deepEqual([code, stderr], [4, `m-1  queued    1 credit\ntidings: ${why}: the result is above, do not send again\n`]);
    const programs = await run(['send', '+15551234567', 'Hello', '--json'], sent, full);
    const [result = '', error = ''] = programs.stderr.split('\n');
    assert.deepEqual([programs.code, JSON.parse(result), Object.keys(JSON.parse(error) as object)], [4, accepted, ['error']]);
  });

  it('send exits with 0 if standard error cannot be written', async () => {
    const { code, stdout } = await run(['send', '+15551234567', 'Hello'], sent, { remarksFault: 'ENOSPC' });
    assert.deepEqual([code, stdout], [0, 'm-1  queued    1 credit\n']);
  });

  it('a command that does not send exits with 1 and one sentence if standard output cannot be written', async () => {
    const balance: Scripted = { status: 200, body: { success: true, data: { balance: 5, spent_today: 0 } } };
    const { code, stderr } = await run(['balance'], balance, full);
    assert.deepEqual([code, stderr.split('\n').at(-2)], [1, `tidings: ${why}`]);
    const webhook: Scripted = {
      status: 201,
      body: { success: true, data: { webhook: { id: 'w-1' }, secret: 'whsec_x', warning: 'Store' } },
    };
    const created = await run(['webhooks', 'create', 'https://example.com/', '--events', 'message.sent'], webhook, full);
    assert.match(created.stderr, /secret: whsec_x\n/, 'it cannot be shown a second time');
  });

  it('the version and the help exit with 1 if standard output cannot be written', async () => {
    for (const args of [['--version'], ['--help'], ['send', '--help']]) {
      const { code, stderr } = await runHere(args, {}, full);
      assert.deepEqual([code, stderr], [1, `tidings: ${why}\n`]);
    }
  });

  it('a certificate of an unknown authority exits with 3 and names the setting that makes Node trust it', async () => {
    const { url, close } = await startReceiver();
    const { code, stderr } = await runCommand(['balance'], { TIDINGS_API_KEY: 'tidings_x', TIDINGS_URL: new URL(url).origin });
    await close();
    assert.equal(code, 3);
    assert.match(stderr, /(UNABLE_TO_VERIFY_LEAF_SIGNATURE|SELF_SIGNED_CERT_IN_CHAIN)\n.*NODE_EXTRA_CA_CERTS/);
  });

  it('colours are written to a terminal, unless NO_COLOR is set, on each version of Node that the package allows', () => {
    const streams = (isTTY: boolean) => ({ stdin: {}, stdout: { isTTY }, stderr: {} }) as never;
    const styled = (isTTY: boolean, noColor: boolean) => new Terminal(streams(isTTY), false, noColor).style('red', 'no');
    assert.deepEqual([styled(true, false), styled(true, true), styled(false, false)], ['\u001b[31mno\u001b[39m', 'no', 'no']);
  });
});
