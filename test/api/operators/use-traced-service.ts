/** A service that sends its spans to a collector, and what tests read from them. */
import { type Account, type RestClient, restClient } from '../../support/client.js';
import { type CollectedSpan, type Collector, startCollector } from '../../support/network/collector.js';
import { type Receiver, startReceiver } from '../../support/network/receiver.js';
import { type Service, startService } from '../../support/service.js';

/** Filled by the hooks; read it in tests. */
interface Stage {
  url: string;
  collector: Collector;
  receiver: Receiver;
  client: RestClient;
  account: Account;
}

/** Call it in a `describe`: it registers the hooks. */
export function useTracedService(): Stage {
  const stage = {} as Stage;
  let service: Service | undefined;
  before(async () => {
    [stage.collector, stage.receiver] = await Promise.all([startCollector(), startReceiver()]);
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: stage.collector.url,
      OTEL_SERVICE_NAME: 'post',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc',
      WEBHOOK_RETRY_DELAYS: '0.1',
      MCP: 'on',
    };
    service = await startService({ env });
    stage.url = service.url;
    stage.client = restClient(service.url);
    stage.account = await stage.client.signUp();
  });
  after(async () => {
    await service?.stop();
    await stage.collector.close();
    await stage.receiver.close();
  });
  return stage;
}

/** The trace of a message that continues none. */
export const traceOf = (id: string): string => id.replaceAll('-', '');

export const spanOf = (spans: readonly CollectedSpan[], wanted: string): CollectedSpan | undefined =>
  spans.find(({ name }) => name === wanted);

/** Span → the name of its parent; of each name only once. */
export function tree(spans: readonly CollectedSpan[]): Record<string, string | undefined> {
  const names = new Map(spans.map(({ spanId, name }) => [spanId, name]));
  return Object.fromEntries(spans.map(({ name, parentId }) => [name, parentId === '' ? 'none' : names.get(parentId)]));
}
