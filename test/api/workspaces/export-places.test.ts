/** Exports whose clients do not read must not keep other workspaces out. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { select } from '../../../models/db/database.js';
import { ReaderPlaces } from '../../../models/flow/reader-places.js';
import { until } from '../../support/client.js';
import type { Account } from '../start-app.js';
import { useApi } from '../use-api.js';

const path = '/api/v1/export';
const behindMsMax = 1_000;
/** More than the buffers of a connection hold. */
const bytes = 24_000_000;
const isComplete = ({ text }: { text: string }) => text.includes('{"type":"end"');
const addContacts = `
  INSERT INTO contacts (id, workspace_id, phone, custom_fields)
  SELECT overlay(gen_random_uuid()::text placing '0000' from 1)::uuid, $1, '+1555' || (1000000 + n), json_build_object('note', repeat('x', 10000))
  FROM generate_series(1, $2 / 10000) n`;

describe('exports while all places are taken', () => {
  const app = useApi();
  let slow: Account[];
  let open: { destroy(): void }[];
  before(async () => {
    slow = [await app.account(), await app.account()];
    for (const { workspaceId } of slow) await select(app.deps.db, addContacts, [workspaceId, bytes]);
  });
  beforeEach(() => {
    open = [];
    app.deps.exportPlaces = new ReaderPlaces({ max: 2, bytesPerSecond: 65_536, behindMsMax });
  });
  afterEach(() => {
    for (const each of open) each.destroy();
  });

  const authorization = (account: Account) => `Bearer ${account.jwt}`;
  const get = (account: Account) => fetch(app.url + path, { headers: { Authorization: authorization(account) } });
  /** An export whose client reads nothing. */
  const stall = async (account: Account): Promise<IncomingMessage> => {
    const asked = request(app.url + path, { headers: { Authorization: authorization(account) } }).end();
    open.push(asked);
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    assert.equal(response.statusCode, 200);
    return response;
  };
  /** What the client of an ended export gets when it reads at last. */
  const rest = async (response: IncomingMessage) => {
    let text = '';
    try {
      for await (const chunk of response) text += String(chunk);
    } catch (error) {
      return { text, error: (error as NodeJS.ErrnoException).code };
    }
    return { text, error: undefined };
  };

  it('503 at first, then 200 in the place of the one that waits longest, which breaks', async () => {
    const [one, two] = [await stall(slow[0] as Account), await stall(slow[1] as Account)];
    const honest = await app.account();
    const refused = await get(honest);
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1']);
    await refused.body?.cancel();
    await sleep(2 * behindMsMax);
    const answer = await get(honest);
    assert.equal(answer.status, 200);
    assert.ok(isComplete({ text: await answer.text() }));
    const [ended, kept] = [await rest(one), await rest(two)];
    assert.deepEqual([isComplete(ended), ended.error], [false, 'ECONNRESET']);
    assert.ok(ended.text.length < bytes / 20, `${ended.text.length} bytes: nothing of what the system had taken for it`);
    assert.deepEqual([isComplete(kept), kept.error], [true, undefined], 'the other one has kept its place');
    await until(async () => !app.deps.exportPlaces.has(slow[1]?.workspaceId ?? ''), 'it has left its place');
  });

  it('503 while the others are read at an ordinary pace, for longer than a wait may take', async () => {
    const readers = await Promise.all(slow.map(stall));
    const timer = setInterval(() => readers.forEach((reader) => reader.read()), 20); // some MB in a second
    for (let round = 0; round < 10; round += 1) {
      await sleep(behindMsMax / 4);
      assert.equal((await get(await app.account())).status, 503);
    }
    clearInterval(timer);
    const ends = await Promise.all(readers.map(rest));
    assert.deepEqual(
      ends.map((each) => isComplete(each)),
      [true, true],
    );
  });
});
