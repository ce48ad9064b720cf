import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { Writable } from 'node:stream';
import { v7 as uuidv7 } from 'uuid';
import { openStream } from '../../../models/operations/streams/open-stream.js';
import { until } from '../../support/client.js';
import { buildQueuedGroup } from '../../support/rows/messages.js';
import type { Account } from '../start-app.js';
import { useApi } from '../use-api.js';
import { idsIn, received, useStreams } from './watch.js';

/** A response whose client reads nothing until `read` is called. */
class StuckClient extends Writable {
  readonly chunks: Buffer[] = [];
  #next: (() => void) | undefined;
  #isReading = false;

  constructor() {
    super({ highWaterMark: 16_384 });
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.chunks.push(chunk);
    if (this.#isReading) void setImmediate().then(done);
    else this.#next = done;
  }

  read(): void {
    this.#isReading = true;
    this.#next?.();
  }

  get ids(): string[] {
    return [
      ...Buffer.concat(this.chunks)
        .toString()
        .matchAll(/"message_id":"([^"]+)"/g),
    ].map(([, id = '']) => id);
  }
}

/** Bytes of the events of a page, with room for the rest of them. */
const pageBytesMax = 500 * 1_600;

describe('a viewer that does not read', () => {
  const app = useApi();
  const watch = useStreams(app);
  let account: Account;
  beforeEach(async () => {
    account = await app.account({ balance: 100_000_000 });
  });

  /** 300 messages whose events have a kilobyte each. */
  const queueMany = async () => {
    const one = { metadata: { text: 'x'.repeat(1_000) } };
    return (
      await buildQueuedGroup(
        app.deps.db,
        account.workspaceId,
        Array.from({ length: 300 }, () => one),
      )
    ).ids;
  };

  it('a viewer that does not read takes no more memory than a page, delays nobody, and gets all once it reads', async () => {
    const { db, streams } = app.deps;
    const opened = await openStream(db, { workspaceId: account.workspaceId, resume: null, max: 10 });
    const client = new StuckClient();
    const token = { id: uuidv7(), version: 0, expiresAt: new Date(Date.now() + 600_000) };
    const viewer = streams.viewer({ ...opened, workspaceId: account.workspaceId, keyId: null, token });
    const other = await watch(account);
    viewer.begin(client);
    await until(() => viewer.state === 'live', 'a live viewer');
    const sent: string[] = [];
    for (let group = 1; group <= 10; group += 1) {
      sent.push(...(await queueMany()));
      await received(other, 300 * group);
      assert.ok(client.writableLength < pageBytesMax, `${client.writableLength} bytes wait`);
    }
    assert.deepEqual(idsIn(other).toSorted(), sent.toSorted());
    assert.equal(viewer.state, 'behind');
    client.read();
    await until(() => viewer.state === 'live', 'a viewer that has caught up');
    assert.deepEqual(client.ids, idsIn(other));
    viewer.end();
  });

  it('a viewer that does not read resumes over many pages without a loss or a repetition, while more is sent', async () => {
    const first = await watch(account);
    await received(first, 0);
    await until(() => first.lastEventId !== '', 'the first id');
    first.close();
    const sent: string[] = [];
    for (let group = 0; group < 5; group += 1) sent.push(...(await queueMany()));
    const resumed = await watch(account, first.lastEventId);
    for (let group = 0; group < 3; group += 1) sent.push(...(await queueMany()));
    // Again and again from the middle of a page.
    let streams = [resumed];
    const seen: string[] = [];
    while (seen.length < sent.length) {
      const [stream] = streams as [typeof resumed];
      const wanted = Math.min(701, sent.length - seen.length);
      await received(stream, wanted);
      stream.close();
      const taken = stream.events.slice(0, wanted);
      seen.push(...taken.map(({ data }) => data.data.message_id));
      streams = [await watch(account, taken.at(-1)?.id)];
    }
    assert.deepEqual(seen.toSorted(), sent.toSorted());
    assert.equal(new Set(seen).size, sent.length);
  });
});
