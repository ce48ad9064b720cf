/** Streams of the API of a test: opened, awaited, and closed after each test. */
import assert from 'node:assert/strict';
import { type EventStream, openEventStream } from '../../support/network/event-stream.js';
import { until } from '../../support/client.js';
import type { Account, TestApp } from '../start-app.js';

export const path = '/api/v1/stream';

/** Registers the clean-up. @returns what opens a stream; `lastEventId` continues an earlier one */
export function useStreams(app: TestApp) {
  const open = new Set<EventStream>();
  afterEach(() => {
    for (const stream of open) stream.close();
    open.clear();
  });
  return async ({ key }: Pick<Account, 'key'>, lastEventId?: string, headers: Record<string, string> = {}): Promise<EventStream> => {
    const resume = lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId };
    const stream = await openEventStream(app.url + path, { 'X-API-Key': key, ...resume, ...headers });
    open.add(stream);
    return stream;
  };
}

/** Sends a message. @returns its id */
export async function send(app: TestApp, { key }: Pick<Account, 'key'>, metadata: object = {}): Promise<string> {
  const body = { to: '+15551234567', channel: 'sms', content: { text: 'Hello' }, metadata };
  const answer = await app.call('POST', '/api/v1/messages/send', { key, body });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body.data.message.id;
}

/** The messages of the stream's events, in their order. */
export const idsIn = ({ events }: EventStream): string[] => events.map(({ data }) => data.data.message_id);

/** Waits for so many events. The comparison that follows would find more. */
export const received = (stream: EventStream, count: number): Promise<void> =>
  until(() => stream.events.length >= count, `${count} events on a stream that has ${stream.events.length}`);

/** Waits until the server ends the stream. */
export const untilOver = (stream: EventStream, why: string): Promise<void> => until(() => stream.isOver, `the end of the stream of ${why}`);
