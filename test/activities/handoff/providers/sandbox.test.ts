import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { v7 as uuidv7 } from 'uuid';
import { createProviders } from '../../../../activities/handoff/providers/index.js';
import type { OutgoingMessage } from '../../../../activities/handoff/providers/provider.js';
import { sandboxAdapter } from '../../../../activities/handoff/providers/sandbox.js';
import { ReportPoster } from '../../../../activities/handoff/providers/report-poster.js';
import { type Channel, channels } from '../../../../models/channels.js';
import { inTransaction, select } from '../../../../models/db/database.js';
import { createLogger } from '../../../../models/process/logger.js';
import type { CallbackEvent } from '../../../../models/rules/callbacks/callback.js';
import { readSandboxCallback } from '../../../../models/rules/callbacks/sandbox.js';
import { until } from '../../../support/client.js';
import { testConfig } from '../../../support/config.js';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';
import { untilLockWait } from '../../../support/lock-table.js';

const { secretKey } = testConfig();
const signal = new AbortController().signal;
const outgoing = (to: string, channel: Channel = 'sms'): OutgoingMessage => ({
  id: uuidv7(),
  channel,
  to,
  content: { text: 'Hello' },
  reference: null,
  uncertain_ms: null,
});

describe('the sandbox provider', () => {
  const test = useDatabase({ forEachTest: true });

  const adapter = (onTaken: (dueInMs: number) => void = () => undefined, delayMs = 0) => sandboxAdapter({ db: test.db, delayMs, onTaken });

  it('the sandbox provider accepts a message once, with the same answer for the same id', async () => {
    const provider = adapter();
    const message = outgoing('+15551234567');
    const [first, second] = [await provider.send(message, signal), await provider.send(message, signal)];
    assert.equal(first.outcome, 'accepted');
    assert.deepEqual(second, first);
    assert.equal((await rows(test.db, 'SELECT id FROM sandbox_reports')).length, 1);
  });

  it('the sandbox provider accepts a message while two others wait for a lock', async () => {
    const { send } = adapter();
    const messages = [outgoing('+15551234567'), outgoing('+15551234567')];
    for (const message of messages) await send(message, signal);
    const waiting: Promise<unknown>[] = [];
    let ended = 0;
    await inTransaction(test.db, async (transaction) => {
      await select(test.db, 'SELECT 1 AS one FROM sandbox_messages FOR UPDATE', [], transaction);
      for (const message of messages) {
        waiting.push(send(message, signal).finally(() => (ended += 1)));
        await untilLockWait(test.db, 'a message waits', waiting.length);
      }
      assert.equal((await send(outgoing('+15551234567'), signal)).outcome, 'accepted');
      assert.equal(ended, 0, 'their rows are locked');
    });
    await Promise.all(waiting);
  });

  it('the sandbox provider refuses 01 with 30008, and stores nothing', async () => {
    const outcome = await adapter().send(outgoing('+15005550001'), signal);
    assert.deepEqual(outcome, {
      outcome: 'rejected',
      error_code: '30008',
      error_message: 'Unknown destination',
      provider_error_code: '30008',
    });
    assert.deepEqual(await rows(test.db, 'SELECT id FROM sandbox_messages'), []);
  });

  it('the sandbox provider is unavailable twice for 03', async () => {
    const [provider, message] = [adapter(), outgoing('+15005550003')];
    const outcomes: string[] = [];
    for (const _ of [1, 2, 3]) outcomes.push((await provider.send(message, signal)).outcome);
    assert.deepEqual(outcomes, ['retryable', 'retryable', 'accepted']);
  });

  it('the sandbox provider returns when its reports are due', async () => {
    const due: number[] = [];
    await adapter((ms) => due.push(ms), 50).send(outgoing('+15551234567', 'whatsapp'), signal);
    assert.deepEqual(due, [50, 100]);
  });

  it('the sandbox provider answers a status query like its last report', async () => {
    const provider = adapter();
    const taken = await provider.send(outgoing('+15005550007'), signal);
    assert.ok(taken.outcome === 'accepted');
    const fetched = await provider.fetchStatus?.(taken.provider_message_id, signal);
    assert.deepEqual([fetched?.status, fetched?.provider_error_code], ['failed', '30007']);
    const silent = await provider.send(outgoing('+15005550002'), signal);
    assert.ok(silent.outcome === 'accepted');
    assert.equal(await provider.fetchStatus?.(silent.provider_message_id, signal), null);
  });

  it('the sandbox provider serves every channel by default', () => {
    const deps = { db: test.db, delayMs: 0, onTaken: () => undefined };
    const providers = createProviders(testConfig(), deps);
    assert.deepEqual(
      Object.values(providers.routes).map((routes) => routes.map(({ account }) => providers.accounts.get(account)?.name)),
      channels.map(() => ['sandbox']),
    );
  });

  describe('ReportPoster', () => {
    /** The callback endpoint, with what came in, and a report poster that posts to it. */
    const startPoster = async (idleMs = 1_000) => {
      const endpoint = { status: 200, calls: 0, reports: [] as CallbackEvent[] };
      const server = createServer((request, response) => {
        void bytesOf(request).then((body) => {
          endpoint.calls += 1;
          assert.equal(request.url, '/callbacks/sandbox');
          const events = readSandboxCallback([secretKey], { headers: request.headers, body, at: new Date() });
          if (endpoint.status === 200) endpoint.reports.push(...events);
          response.writeHead(endpoint.status).end();
        });
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const callbackUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const warnings: unknown[] = [];
      const logger = Object.assign(createLogger('test', 'silent'), { warn: (_: unknown, line: string) => void warnings.push(line) });
      const reports = new ReportPoster({ db: test.db, secretKey, callbackUrl, logger, idleMs });
      const stop = async () => {
        await reports.stop();
        server.closeAllConnections();
        server.close();
      };
      return { endpoint, reports, warnings, stop };
    };
    const told = (reports: CallbackEvent[]) =>
      reports.map((event) => event.kind === 'report' && [event.status, event.error_code, event.message_id]);

    it('the sandbox posts a report until its callback succeeds, and logs a failure once', async () => {
      const { endpoint, reports, warnings, stop } = await startPoster(20);
      endpoint.status = 500;
      const message = outgoing('+15005550006');
      await adapter((ms) => reports.expect(ms)).send(message, signal);
      await until(() => endpoint.calls > 3, 'several posts have failed');
      endpoint.status = 200;
      await until(() => endpoint.reports.length > 0, 'it was posted again');
      await stop();
      assert.deepEqual(told(endpoint.reports), [['failed', '30006', message.id]]);
      assert.deepEqual(warnings, ['could not post sandbox reports; repeating them']);
      assert.equal((await rows(test.db, 'SELECT id FROM sandbox_reports WHERE posted_at IS NULL')).length, 0);
    });

    it('the sandbox posts each report at its time', async () => {
      const { endpoint, reports, stop } = await startPoster(3_600_000);
      const sandbox = adapter((ms) => reports.expect(ms), 40);
      const messages = [outgoing('+15005550006'), outgoing('+15005550006')];
      for (const message of messages) {
        await sandbox.send(message, signal);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      await until(() => endpoint.reports.length === 2, 'both are posted');
      await stop();
      assert.deepEqual(
        told(endpoint.reports),
        messages.map(({ id }) => ['failed', '30006', id]),
      );
    });
  });
});

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
