import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { freePort } from '../../support/network/free-port.js';
import { createLogger } from '../../../models/process/logger.js';
import { createSpanSink } from '../../../models/tracing/otlp.js';
import { startTracing } from '../../../models/tracing/tracing.js';
import { testConfig } from '../../support/config.js';
import { restClient } from '../../support/client.js';
import { type Collector, startCollector } from '../../support/network/collector.js';
import { startReceiver } from '../../support/network/receiver.js';
import { listLoadedModules } from '../../support/parts/loaded-modules.js';
import { startService } from '../../support/service.js';

const sampledByClient = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

describe('traces that nobody wants', () => {
  let collector: Collector;
  before(async () => {
    collector = await startCollector();
  });
  after(async () => {
    await collector.close();
  });

  /**
   * Sends a message with a webhook to its end, with a service in this process, which traces as these settings say; `api/operators/traces.test` traces
   * processes. @returns `traceparent` of each request to the receiver
   */
  const sendTraced = async (env: NodeJS.ProcessEnv) => {
    const endTracing = await startTracing({ tracing: testConfig(env).tracing, logger: createLogger('test', 'silent'), part: 'test' });
    const receiver = await startReceiver();
    const service = await startService({ isHere: true, env });
    try {
      const client = restClient(service.url);
      const account = await client.signUp();
      await client.hook(account, receiver.url, ['message.delivered']);
      const { id } = await client.send(account, {}, { traceparent: sampledByClient });
      await client.messageUntil(account, id, ({ status }) => status === 'delivered');
      const received = await receiver.untilReceived(1);
      return received.map(({ headers }) => headers.traceparent);
    } finally {
      await service.stop();
      await receiver.close();
      await endTracing();
    }
  };

  it('no trace is recorded when the share is 0, and the trace of a client is passed on unchanged', async () => {
    const traceparents = await sendTraced({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0',
    });
    assert.deepEqual(traceparents, [sampledByClient]);
    assert.deepEqual(collector.spans, []); // tracing has ended, and has sent what it had
  });

  it('the list of modules that `api/operators/metrics.test` reads has those of tracing where it is loaded', () => {
    const tracing = listLoadedModules();
    const script = resolve(import.meta.dirname, '../../../models/tracing/otlp.js');
    execFileSync(process.execPath, [script], { env: tracing.env });
    assert.ok(tracing.ofThreads().flat().includes('@opentelemetry/sdk-trace'));
    tracing.remove();
  });

  it('messages are delivered while the collector of traces is dead', async () => {
    const dead = `http://127.0.0.1:${await freePort()}`;
    const traceparents = await sendTraced({ OTEL_EXPORTER_OTLP_ENDPOINT: dead, OTEL_TRACES_SAMPLER: 'always_on' });
    assert.match(String(traceparents[0]), /^00-4bf92f3577b34da6a3ce929d0e0e4736-[\da-f]{16}-01$/);
  });

  it('a limited number of spans is kept while the collector hangs, and the others are dropped', async () => {
    const hanging = await startCollector();
    hanging.hangs = true;
    const { tracing } = testConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: hanging.url });
    const sink = createSpanSink({ ...tracing, endpoint: hanging.url }, 'test', createLogger('test', 'silent'));
    const context = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
    for (let number = 0; number < 20_000; number += 1) {
      sink.record({ name: 'x', kind: 'internal', context, attributes: { number }, begunAt: Date.now(), durationMs: 1 });
    }
    await new Promise(setImmediate);
    hanging.hangs = false;
    await sink.close();
    assert.ok(hanging.spans.length > 0 && hanging.spans.length <= 2_048 + 512, `${hanging.spans.length} spans were kept`);
    await hanging.close();
  });
});
