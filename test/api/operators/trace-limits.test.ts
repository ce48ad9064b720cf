import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort } from '../../support/network/free-port.js';
import { createLogger } from '../../../models/process/logger.js';
import { createSpanSink } from '../../../models/tracing/otlp.js';
import { startTracing } from '../../../models/tracing/tracing.js';
import { testConfig } from '../../support/config.js';
import { restClient } from '../../support/client.js';
import { type Collector, startCollector } from '../../support/network/collector.js';
import { startReceiver } from '../../support/network/receiver.js';
import { type ServiceOptions, startService } from '../../support/service.js';

const listModules = resolve(import.meta.dirname, '../../support/list-modules.js');
const sampledByClient = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

describe('traces that nobody wants', () => {
  let collector: Collector;
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tidings-modules-'));
    collector = await startCollector();
  });
  after(async () => {
    await collector.close();
    rmSync(folder, { recursive: true });
  });

  /** Sends a message with a webhook to its end. @returns `traceparent` of each request to the receiver */
  const sendWith = async (options: ServiceOptions) => {
    const receiver = await startReceiver();
    const service = await startService(options);
    try {
      const client = restClient(service.url);
      const account = await client.signUp();
      await client.hook(account, receiver.url, ['message.delivered']);
      const { id } = await client.send(account, {}, { traceparent: sampledByClient });
      await client.messageUntil(account, id, ({ status }) => status === 'delivered');
      const received = await receiver.until(1);
      return received.map(({ headers }) => headers.traceparent);
    } finally {
      await service.stop();
      await receiver.close();
    }
  };
  /** The same with a service in this process, which traces as these settings say; `api/operators/traces.test` traces processes. */
  const sendTraced = async (env: NodeJS.ProcessEnv) => {
    const endTracing = await startTracing({ tracing: testConfig(env).tracing, logger: createLogger('test', 'silent'), part: 'test' });
    try {
      return await sendWith({ isHere: true, env });
    } finally {
      await endTracing();
    }
  };
  /** @returns the packages that each thread had loaded */
  const modulesIn = (file: string): string[][] =>
    readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));

  it('no tracing is loaded without an endpoint, and receivers get no trace headers', async () => {
    const file = join(folder, 'service.txt');
    const traceparents = await sendWith({ env: { NODE_OPTIONS: `--import=${listModules}`, MODULES_FILE: file } });
    const threads = modulesIn(file);
    assert.ok(threads.length >= 3, 'the API, and two threads of the worker');
    // The library of the metrics brings the interface, which does nothing by itself.
    assert.deepEqual(new Set(threads.flat()), new Set(['@opentelemetry/api']));
    assert.deepEqual(traceparents, [undefined]);
  });

  it('the list of modules has those of tracing where it is loaded', () => {
    const file = join(folder, 'tracing.txt');
    const script = resolve(import.meta.dirname, '../../../models/tracing/otlp.js');
    execFileSync(process.execPath, [`--import=${listModules}`, script], { env: { MODULES_FILE: file } });
    assert.ok(modulesIn(file).flat().includes('@opentelemetry/sdk-trace'));
  });

  it('no trace is recorded when the share is 0, and the trace of a client is passed on unchanged', async () => {
    const traceparents = await sendTraced({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0',
    });
    assert.deepEqual(traceparents, [sampledByClient]);
    assert.deepEqual(collector.spans, []); // tracing has ended, and has sent what it had
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
