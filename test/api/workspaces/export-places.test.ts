/** Exports whose clients do not read must not keep other workspaces out. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { select } from '../../../models/db/database.js';
import { ReaderPlaces, type ReaderPlacesOptions } from '../../../models/flow/reader-places.js';
import { until } from '../../support/client.js';
import type { Account } from '../start-app.js';
import { useApi } from '../use-api.js';

const path = '/api/v1/export';
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
  let honest: Account;
  let options: ReaderPlacesOptions;
  let open: { destroy(): void }[];
  before(async () => {
    slow = [await app.account(), await app.account()];
    honest = await app.account();
    for (const { workspaceId } of slow) await select(app.deps.db, addContacts, [workspaceId, bytes]);
  });
  beforeEach(() => {
    open = [];
    options = { max: 2, bytesPerSecond: 65_536, behindMsMax: 60_000 };
    app.deps.exportPlaces = new ReaderPlaces(options);
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

  it('503 for an export while none is far behind, then 200 in the place of one that is, which breaks', async () => {
    const stalled = [await stall(slow[0] as Account), await stall(slow[1] as Account)];
    const refused = await get(honest);
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1']);
    await refused.body?.cancel();
    options.behindMsMax = 500;
    let taken = refused;
    await until(async () => {
      taken = await get(honest);
      return taken.status === 200;
    }, 'a place');
    assert.ok(isComplete({ text: await taken.text() }));
    const ends = await Promise.all(stalled.map(rest));
    const [kept, ended] = ends.toSorted((one, other) => other.text.length - one.text.length);
    assert.ok(kept !== undefined && ended !== undefined);
    assert.deepEqual([isComplete(kept), kept.error], [true, undefined], 'the other one has kept its place');
    assert.deepEqual([isComplete(ended), ended.error], [false, 'ECONNRESET']);
    assert.ok(ended.text.length < bytes / 20, `${ended.text.length} bytes: nothing of what the system had taken for it`);
    const has = ({ workspaceId }: Account) => app.deps.exportPlaces.has(workspaceId);
    await until(async () => ![...slow, honest].some(has), 'all have left their places');
  });
});
