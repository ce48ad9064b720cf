import assert from 'node:assert/strict';
import { type Account, type RestClient, restClient, until } from '../../support/client.js';
import { cutConnections } from '../../support/database.js';
import { type EventStream, openEventStream, type SentEvent } from '../../support/network/event-stream.js';
import { type Service, startService } from '../../support/service.js';

/** Opens streams one after the other, each where the last one ended, until it is stopped. */
function keepWatching(service: Service, { apiKey }: Account) {
  const seen: SentEvent[] = [];
  let stream: EventStream | undefined;
  let isStopped = false;
  let connections = 0;
  let lastEventId = '';
  const run = async () => {
    while (!isStopped) {
      const headers = { 'X-API-Key': apiKey, ...(lastEventId === '' ? {} : { 'Last-Event-ID': lastEventId }) };
      const opened = await openEventStream(`${service.url}/api/v1/stream`, headers).catch(() => undefined);
      if (opened?.status !== 200) continue;
      connections += 1;
      stream = opened;
      await until(() => opened.isOver || isStopped, 'the end of a stream');
      seen.push(...opened.events);
      ({ lastEventId } = opened);
    }
  };
  const running = run();
  return {
    all: () => [...seen, ...(seen.includes(stream?.events[0] as SentEvent) ? [] : (stream?.events ?? []))],
    connections: () => connections,
    drop: () => stream?.close(),
    stop: async () => {
      isStopped = true;
      stream?.close();
      await running;
    },
  };
}

/** A killed API may have stored a report without signalling its workflow: the watcher does that in its first run after 30 seconds. */
const watcherMs = 90_000;

describe('a stream while parts fail and sends go on', () => {
  let service: Service;
  before(async () => {
    service = await startService({ isHere: true });
  });
  after(() => service.stop());

  /** Sends one message after the other, and keeps their ids. */
  function sender(client: RestClient, account: Account) {
    const sent: string[] = [];
    const send = async () => void sent.push((await client.send(account)).id);
    const some = async (count: number) => {
      for (let index = 0; index < count; index += 1) await send();
    };
    const isServed = () =>
      send().then(
        () => true,
        () => false,
      );
    return { sent, some, untilServed: () => until(isServed, 'a send with new connections') };
  }
  function assertEachStatusOnce(events: SentEvent[], sent: string[]): void {
    const byMessage = new Map<string, string[]>(sent.map((id) => [id, []]));
    for (const { type, data } of events) byMessage.get(data.data.message_id)?.push(type);
    for (const [id, types] of byMessage) assert.deepEqual(types, ['message.queued', 'message.sent', 'message.delivered'], id);
    assert.equal(events.length, sent.length * 3);
  }

  it('a stream shows every status of every message once, in order, while parts fail', async () => {
    const client = restClient(service.url);
    const apiProcess = await service.apiToKill();
    const account = await client.signUp();
    const viewer = keepWatching(service, account);
    const { sent, some, untilServed } = sender(client, account);
    const hasSeen = (count: number, patience?: number) => until(() => viewer.all().length >= count, `${count} events`, patience);
    await until(() => viewer.connections() === 1, 'the first stream');
    await some(10);
    viewer.drop(); // its client is cut off
    await some(10);
    await hasSeen(60);
    await cutConnections(service.db);
    await untilServed();
    await some(10);
    await hasSeen(90);
    assert.equal(viewer.connections(), 2, 'the lost connections of the database ended no stream');
    await apiProcess.stop();
    await apiProcess.start();
    await some(10);
    await apiProcess.kill();
    await service.api.start();
    await some(10);
    await hasSeen(sent.length * 3, watcherMs);
    await viewer.stop();
    assertEachStatusOnce(viewer.all(), sent);
  });
});
