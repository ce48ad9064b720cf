import assert from 'node:assert/strict';
import { creditsText } from '../../../models/rules/billing/credits.js';
import { rows } from '../../support/database.js';
import { prices } from '../../support/prices.js';
import { buildQueued } from '../../support/rows/factories.js';
import { giveUpNow } from '../../support/rows/messages.js';
import { runAdmin } from '../../support/run-admin.js';
import type { Account } from '../start-app.js';
import { useApi } from '../use-api.js';

describe("the operator's command messages", () => {
  const app = useApi({ forEachTest: true });
  let [one, other] = [{}, {}] as [Account, Account];
  beforeEach(async () => {
    [one, other] = [await app.account(), await app.account()];
  });
  const run = (...args: string[]) => runAdmin({ db: app.deps.db }, 'messages', ...args);
  const found = async (...args: string[]) => {
    const { code, out } = await run(...args, '--json');
    assert.equal(code, 0, out);
    const { messages, ...rest } = JSON.parse(out);
    return { ids: (messages as { id: string }[]).map(({ id }) => id), messages, rest };
  };
  const build = async (account: Account, overrides: Parameters<typeof buildQueued>[2] = {}) =>
    (await buildQueued(app.deps.db, account.workspaceId, overrides)).id;
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000);
  const failed = async (account: Account, created_at: Date, error: string) => {
    const id = await build(account, { created_at });
    await giveUpNow(app.deps.db, id);
    await rows(app.deps.db, 'UPDATE messages SET provider_error_code = $2 WHERE id = $1', [id, error]);
    return id;
  };

  it('the command messages lists the newest of a recipient in all workspaces, in any case, and masks the address', async () => {
    const to = 'ada@example.com';
    const ids = [await build(one, { channel: 'email', to: 'Ada@Example.com' }), await build(other, { channel: 'email', to })];
    await build(one, { channel: 'email', to: 'eve@example.com' });
    const { ids: shown, messages } = await found('--to', 'ADA@example.com');
    assert.deepEqual(shown, ids.toReversed());
    assert.deepEqual([messages[0].workspace_id, messages[0].to, messages[0].content], [other.workspaceId, 'a***@example.com', undefined]);
    assert.deepEqual((await found('--to', to, '--workspace', one.workspaceId)).ids, ids.slice(0, 1));
    const phone = await build(one, { to: '+15557654321' });
    assert.deepEqual((await found('--to', '+15557654321')).ids, [phone]);
    const { out } = await run('--to', to);
    assert.match(
      out,
      new RegExp(`Z  ${ids[1]}  workspace ${other.workspaceId}  email  queued  no carrier yet  ${creditsText(prices.email)}\n`),
    );
    assert.match(out, /\n2 messages\.\n$/);
    assert.ok(!out.includes('ada@'));
  });

  it('the command messages lists the first of a workspace, and says that there are more', async () => {
    const ids = [await build(one), await build(one), await build(one)];
    await build(other);
    assert.deepEqual((await found('--workspace', one.workspaceId, '--limit', '3')).rest, { limit: 3, has_more: false });
    const { ids: first, rest } = await found('--workspace', one.workspaceId, '--limit', '2');
    assert.deepEqual([first, rest], [ids.toReversed().slice(0, 2), { limit: 2, has_more: true }]);
    assert.match(
      (await run('--workspace', one.workspaceId, '--limit', '2')).out,
      /\nThe first 2 messages \(--limit\)\. There are more\.\n$/,
    );
  });

  it('the command messages lists failed messages with a code of Tidings or of a carrier, in a period', async () => {
    const [old, older] = [await failed(one, ago(0.5), '30003'), await failed(other, ago(3), '30003')];
    const recent = await failed(one, ago(0.25), '30008');
    await build(one);
    const [since, until] = [ago(0.75).toISOString(), ago(0.4).toISOString()];
    assert.deepEqual((await found('--error', '30003', '--since', since)).ids, [old]);
    assert.deepEqual((await found('--error', 'provider_unavailable', '--since', since)).ids, [recent, old]);
    assert.deepEqual((await found('--error', 'provider_unavailable', '--since', since, '--until', until)).ids, [old]);
    const week = ago(7).toISOString();
    assert.deepEqual((await found('--error', '30003', '--workspace', other.workspaceId, '--since', week)).ids, [older]);
    assert.deepEqual((await found('--error', '30003', '--to', '+15551234567')).ids, [old, older]);
  });

  it('the command messages exits with 2 for filters that would read the whole table', async () => {
    const week = ago(7).toISOString();
    for (const [args, why] of [
      [[], /Give --to, --workspace or --error/],
      [['--since', week], /Give --to, --workspace or --error/],
      [['--error', '30003'], /--error needs --since/],
      [['--error', '30003', '--workspace', one.workspaceId], /--error needs --since/],
      [['--error', '30003', '--since', week], /--error reads at most 1 day of all workspaces/],
      [['--error', '30003', '--since', ago(40).toISOString(), '--workspace', one.workspaceId], /at most 31 days of a workspace/],
      [['--to', '+15551234567', '--since', ago(1).toISOString(), '--until', week], /--since must be before --until/],
    ] as const) {
      const { code, err } = await run(...args);
      assert.equal(code, 2, args.join(' '));
      assert.match(err, why);
    }
  });
});
