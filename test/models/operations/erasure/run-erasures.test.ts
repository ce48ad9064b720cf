import assert from 'node:assert/strict';
import { beginErasure } from '../../../../models/operations/erasure/begin-erasure.js';
import * as running from '../../../../models/operations/erasure/run-erasures.js';
import { createContact, updateContact } from '../../../../models/operations/contacts/save-contact.js';
import { Contact } from '../../../../models/tables/contact.js';
import { byTest } from '../../../support/by-test.js';
import { until } from '../../../support/client.js';
import { rows } from '../../../support/database.js';
import { workspaceForEach } from '../../../support/for-each.js';
import { runErasures } from '../../../support/rows/erasures.js';
import { acceptedAs, buildClaimed, messageOf, reportOf } from '../../../support/rows/messages.js';
import { applyReports, recordHandoffs, recordReports } from '../../../support/rows/reports.js';

const nobody = { name: null, phone: null, email: null, tags: [], custom_fields: {} };

type Claim = Awaited<ReturnType<typeof buildClaimed>>;

describe('the turns of erasures', () => {
  const test = workspaceForEach();
  let lastNumber = 5_000_000;
  beforeEach(() => rows(test.db, 'TRUNCATE erasures, erasure_queue'));

  const run = () => runErasures(test.db, Buffer.alloc(32, 1));
  /** As if a minute had passed since the last look at what waits. */
  const runLater = async () => {
    await rows(test.db, `UPDATE erasure_queue SET look_at = look_at - interval '1 minute'`);
    await run();
  };
  const request = async (to: string) => (await beginErasure(test.db, test.workspaceId, to, byTest)).id;
  /** An erasure that waits for a message which is being handed off. */
  const requestWaiting = async (): Promise<{ id: string; claim: Claim }> => {
    lastNumber += 1;
    const claim = await buildClaimed(test.db, test.workspaceId, { to: `+1555${lastNumber}` });
    return { claim, id: await request(`+1555${lastNumber}`) };
  };
  /** Other tests have transactions on the same server, for which the second walk waits. */
  const runUntilAllWait = () =>
    until(async () => {
      await run();
      return (await rows(test.db, 'SELECT 1 FROM erasures WHERE rewalked_at IS NULL')).length === 0;
    }, 'the walks have ended');
  const end = async (claim: Claim) => {
    await recordHandoffs(test.db, [acceptedAs(claim)]);
    const message = await messageOf(test.db, claim.id);
    await recordReports(test.db, [reportOf(message, 'delivered')]);
    await applyReports(test.db, message.group_id);
  };
  const completed = async () =>
    (await rows<{ id: string }>(test.db, `SELECT id FROM erasures WHERE status = 'completed'`)).map(({ id }) => id);

  it('the 21st erasure of a workspace is completed although 20 others wait', async () => {
    const all: Awaited<ReturnType<typeof requestWaiting>>[] = [];
    for (let count = 1; count <= 21; count += 1) all.push(await requestWaiting());
    await runUntilAllWait();
    const last = all.at(-1) ?? assert.fail('there is none');
    await end(last.claim);
    for (let time = 1; time <= 2; time += 1) await runLater();
    assert.deepEqual(await completed(), [last.id]);
  });

  it('a run with time left takes more than twenty new erasures of a workspace', async () => {
    for (let count = 1; count <= 45; count += 1) await request(`+1555${8_000_000 + count}`);
    await run();
    assert.deepEqual(await rows(test.db, 'SELECT id FROM erasures WHERE walked_at IS NULL'), []);
  });

  it('an erasure that waits is completed although 20 new ones come before each run', async () => {
    const { id, claim } = await requestWaiting();
    await runUntilAllWait();
    await end(claim);
    for (let count = 1; count <= 20; count += 1) await request(`+1555${6_000_000 + count}`);
    await runLater();
    assert.ok((await completed()).includes(id));
  });

  it('a contact that got the address of an erased recipient after the request stays, and theirs is deleted', async () => {
    const recipient = '+15554999999';
    const theirs = await createContact(test.workspaceId, { ...nobody, phone: recipient });
    const other = await createContact(test.workspaceId, { ...nobody, phone: '+15554999998' });
    const claim = await buildClaimed(test.db, test.workspaceId, { to: recipient });
    const id = await request(recipient);
    await runUntilAllWait();
    assert.equal(await Contact.findByPk(theirs.id), null);
    await updateContact(test.workspaceId, other.id, { phone: recipient });
    await end(claim);
    await runLater();
    assert.ok((await completed()).includes(id));
    assert.equal((await Contact.findByPk(other.id))?.phone, recipient);
  });

  it('an erasure has its turn although 20 older ones of its workspace fail in each run', async () => {
    for (let count = 1; count <= 20; count += 1) await request(`+1555${7_000_000 + count}`);
    await rows(
      test.db,
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
       CREATE TRIGGER refuse BEFORE UPDATE OF place ON erasures FOR EACH ROW WHEN (OLD.recipient LIKE '+15557%') EXECUTE FUNCTION refuse()`,
    );
    try {
      const failed: string[] = [];
      const runOnce = () =>
        running.runErasures(test.db, Buffer.alloc(32, 1), Date.now() + 60_000, {
          onCancelled: async () => undefined,
          onFailed: (id) => failed.push(id),
        });
      const walked = async (id: string) =>
        (await rows(test.db, 'SELECT 1 FROM erasures WHERE id = $1 AND walked_at IS NOT NULL', [id])).length;
      const last = await request('+15558000001');
      for (let time = 1; time <= 2; time += 1) await runOnce();
      assert.deepEqual([failed.length, await walked(last)], [20, 1]);
      await rows(test.db, `UPDATE erasures SET failed_at = failed_at - interval '1 minute'`);
      await runOnce();
      assert.equal(failed.length, 40, 'those that failed are tried again');
    } finally {
      await rows(test.db, 'DROP FUNCTION refuse CASCADE');
    }
  });

  it('an erasure is completed although those of 500 other workspaces wait', async () => {
    const { claim } = await requestWaiting();
    // All wait for one message, except the one with the greatest ids: its message is gone.
    const [last] = await rows<{ id: string }>(
      test.db,
      `WITH w AS (
         INSERT INTO workspaces (id, name, email, password_hash)
         SELECT ('ffffffff-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'x', n || '@example.test', '-' FROM generate_series(1, 501) n RETURNING id
       ), e AS (
         INSERT INTO erasures (id, workspace_id, recipient, status, place, walked_at, rewalk_after, rewalked_at)
         SELECT id, id, '+15559999999', 'running', id, now(), pg_current_xact_id(), now() FROM w RETURNING id
       ), q AS (
         INSERT INTO erasure_queue (erasure_id, message_id, look_at)
         SELECT id, CASE WHEN id = (SELECT max(id::text)::uuid FROM e) THEN id ELSE $1 END, now() FROM e
       ) SELECT max(id::text)::uuid AS id FROM e`,
      [claim.id],
    );
    for (let time = 1; time <= 2; time += 1) await runLater();
    assert.deepEqual(await completed(), [last?.id]);
  });
});
