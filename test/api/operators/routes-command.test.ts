import assert from 'node:assert/strict';
import { rows } from '../../support/database.js';
import { workspaceForEach } from '../../support/for-each.js';
import { acceptedAs, buildClaimed } from '../../support/rows/messages.js';
import { recordHandoffs } from '../../support/rows/reports.js';
import { runAdmin } from '../../support/run-admin.js';

describe("the operator's command routes", () => {
  const test = workspaceForEach();
  const failed = async (detail: string) => {
    const claim = await buildClaimed(test.db, test.workspaceId);
    await recordHandoffs(test.db, [{ id: claim.id, attempt: claim.attempt, provider: 'sandbox', outcome: 'retryable', detail }]);
    return claim;
  };

  it('routes shows the failed calls of an account that is alone on its channel, which is not judged', async () => {
    await recordHandoffs(test.db, [acceptedAs(await buildClaimed(test.db, test.workspaceId))]);
    for (const detail of ['503', '503', 'no mailbox anna@example.com']) await failed(detail);
    const { id } = await failed('old');
    await rows(test.db, `UPDATE send_attempts SET started_at = now() - interval '11 minutes' WHERE message_id = $1`, [id]);
    const { out } = await runAdmin({ db: test.db }, 'routes');
    assert.match(out, /^sms +sandbox +weight +\d+ +not judged: the only account of its channel$/m);
    assert.match(out, /^Hand-off attempts of the last ten minutes \(at most 5,000, those of the newest messages\):$/m);
    const calls = out.split('\n').filter((line) => /^sandbox .* attempts? /.test(line));
    assert.deepEqual(
      calls.map((line) => line.replace(/^sandbox +/, '')),
      ['2 attempts  retryable (503)', '1 attempt   accepted', '1 attempt   retryable'],
    );
  });

  it('stuck shows how the last call of a message ended', async () => {
    const { id } = await failed('credentials (401)');
    await rows(test.db, `UPDATE messages SET created_at = now() - interval '30 minutes' WHERE id = $1`, [id]);
    const { out } = await runAdmin({ db: test.db }, 'stuck');
    assert.match(out, new RegExp(`${id}.* \\(last call: credentials \\(401\\)\\)`));
  });
});
