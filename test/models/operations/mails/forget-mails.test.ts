import assert from 'node:assert/strict';
import { forgetMails } from '../../../../models/operations/mails/forget-mails.js';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';
import { buildWorkspace } from '../../../support/rows/factories.js';

describe('deletion of old mails', () => {
  const test = useDatabase({ forEachTest: true });
  let workspaceId: string;
  beforeEach(async () => {
    workspaceId = (await buildWorkspace(test.db)).id;
  });

  /** A notice of this age. */
  const notice = (name: string, days: number, { sent = false, refused = false }) =>
    rows(
      test.db,
      `INSERT INTO mails (id, workspace_id, kind, detail, created_at, sent_at, refused_code)
       VALUES (gen_random_uuid(), $1, 'api_key_created', json_build_object('name', $2::text), now() - $3 * interval '1 day',
         CASE WHEN $4::boolean THEN now() END, CASE WHEN $5::boolean THEN 550 END)`,
      [workspaceId, name, days, sent, refused],
    );
  /** A link that expired before this many days, with its mail, which was never sent. */
  const link = (email: string, days: number) =>
    rows(
      test.db,
      `WITH token AS (
         INSERT INTO mail_tokens (id, workspace_id, purpose, digest, expires_at)
         VALUES (gen_random_uuid(), $1, 'reset', sha256($2::text::bytea), now() - $3 * interval '1 day') RETURNING id)
       INSERT INTO mails (id, workspace_id, kind, token_id, recipient) SELECT gen_random_uuid(), $1, 'reset_password', id, $2 FROM token`,
      [workspaceId, email, days],
    );
  const left = async () =>
    (await rows<{ name: string }>(test.db, `SELECT COALESCE(recipient, detail->>'name') AS name FROM mails`))
      .map(({ name }) => name)
      .toSorted();

  it('a notice is deleted 30 days after its creation, if it was sent or given up', async () => {
    await notice('sent-29', 29, { sent: true });
    await notice('sent-31', 31, { sent: true });
    await notice('refused-29', 29, { refused: true });
    await notice('refused-31', 31, { refused: true });
    await notice('waits-31', 31, {});
    assert.equal(await forgetMails(test.db), 2);
    assert.deepEqual(await left(), ['refused-29', 'sent-29', 'waits-31']);
  });

  it('a link is deleted 30 days after it has expired, together with its mail', async () => {
    await link('valid@example.com', -1);
    await link('29@example.com', 29);
    await link('31@example.com', 31);
    assert.equal(await forgetMails(test.db), 1);
    assert.deepEqual(await left(), ['29@example.com', 'valid@example.com']);
    assert.equal((await rows(test.db, 'SELECT 1 FROM mail_tokens')).length, 2);
  });
});
