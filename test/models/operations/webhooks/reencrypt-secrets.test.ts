import assert from 'node:assert/strict';
import { reencryptTotp } from '../../../../models/operations/accounts/reencrypt-totp.js';
import { erasureKey } from '../../../../models/operations/erasure/erasure-key.js';
import { offerTotp } from '../../../../models/operations/accounts/set-totp.js';
import { totpContext } from '../../../../models/operations/logins/use-code.js';
import { deleteWebhook } from '../../../../models/operations/webhooks/delete-webhook.js';
import { reencryptSecrets } from '../../../../models/operations/webhooks/reencrypt-secrets.js';
import { rotateSecret } from '../../../../models/operations/webhooks/rotate-secret.js';
import { decrypt, encrypt } from '../../../../models/rules/values/encryption.js';
import { secretContext, signingKeyContext, Webhook } from '../../../../models/tables/webhook.js';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';
import { buildWorkspace } from '../../../support/rows/factories.js';
import { byTest } from '../../../support/by-test.js';
import { runAdmin } from '../../../support/run-admin.js';

const [today, former, foreign] = ['t', 'f', 'x'].map((letter) => letter.repeat(32)) as [string, string, string];

describe('reencryptSecrets', () => {
  const test = useDatabase();
  let workspaceId: string;
  before(async () => {
    workspaceId = (await buildWorkspace(test.db)).id;
  });
  beforeEach(() => Webhook.unscoped().destroy({ where: {} }));

  const register = (secretKey: string, asymmetric = false) =>
    Webhook.register(secretKey, {
      asymmetric,
      workspace_id: workspaceId,
      url: 'https://one.example.test/',
      events: ['message.sent'],
      description: null,
    });
  const opened = async (row: Webhook, secretKeys = [today]) => {
    await row.reload();
    return [row.secret, row.old_secret].map((sealed) => sealed && decrypt(secretKeys, secretContext(row.id), sealed));
  };

  it('secrets of former keys are encrypted with the present key', async () => {
    const [old, rotated, present, lost] = [await register(former), await register(former), await register(today), await register(foreign)];
    const next = await rotateSecret(test.db, [today, former], { workspaceId, id: rotated.row.id, overlapHours: 1 }, byTest);
    const earlier = present.row.secret;
    assert.deepEqual(await opened(rotated.row, [today, former]), [next.secret, rotated.secret], 'meanwhile both are read');
    assert.deepEqual(await reencryptSecrets(test.db, [today, former]), { webhooks: 4, reencrypted: 2, unreadable: [lost.row.id] });
    assert.deepEqual(await opened(old.row), [old.secret, null]);
    assert.deepEqual(await opened(rotated.row), [next.secret, rotated.secret]);
    assert.deepEqual((await present.row.reload()).secret, earlier);
    assert.deepEqual(await opened(lost.row, [foreign]), [lost.secret, null]);
    assert.equal((await reencryptSecrets(test.db, [today, former])).reencrypted, 0, 'the second time there is nothing to do');
  });

  it('the private keys of asymmetric webhooks are encrypted with the present key', async () => {
    const { row } = await register(former, true);
    await rotateSecret(test.db, [former], { workspaceId, id: row.id, overlapHours: 1 }, byTest);
    const keys = async (key: string) => {
      await row.reload();
      return [row.signing_key, row.old_signing_key].map((sealed) => decrypt([key], signingKeyContext(row.id), sealed ?? Buffer.alloc(0)));
    };
    const earlier = await keys(former);
    assert.equal(new Set(earlier).size, 2);
    assert.deepEqual(await reencryptSecrets(test.db, [today, former]), { webhooks: 1, reencrypted: 1, unreadable: [] });
    assert.deepEqual(await keys(today), earlier);
  });

  it('a former secret that no longer signs, and a deleted webhook, need no key', async () => {
    const [rotated, deleted] = [await register(foreign), await register(foreign)];
    const ended = { secret: rotated.row.secret, until: new Date(Date.now() - 1) };
    const sealed = encrypt(former, secretContext(rotated.row.id), 'whsec_new');
    await rotated.row.update({ secret: sealed, old_secret: ended.secret, old_secret_until: ended.until });
    await deleteWebhook(test.db, workspaceId, deleted.row.id, byTest);
    assert.deepEqual(await reencryptSecrets(test.db, [today, former]), { webhooks: 2, reencrypted: 1, unreadable: [] });
    assert.deepEqual(await opened(rotated.row), ['whsec_new', null]);
  });

  it('TOTP secrets are encrypted again, and one that no code has confirmed needs no key', async () => {
    const { secret } = await offerTotp(test.db, former, workspaceId, byTest);
    const [lost, unused] = [(await buildWorkspace(test.db)).id, (await buildWorkspace(test.db)).id];
    for (const id of [lost, unused]) await offerTotp(test.db, foreign, id, byTest);
    await rows(test.db, 'UPDATE workspaces SET totp_confirmed_at = now() WHERE id = $1', [lost]);
    assert.deepEqual(await reencryptTotp(test.db, [today, former]), { secrets: 3, reencrypted: 1, unreadable: [lost] });
    const [row] = await rows<{ totp_secret: Buffer }>(test.db, 'SELECT totp_secret FROM workspaces WHERE id = $1', [workspaceId]);
    assert.equal(decrypt([today], totpContext(workspaceId), row?.totp_secret ?? Buffer.alloc(0)), secret);
    assert.equal((await reencryptTotp(test.db, [today, former])).reencrypted, 0);
    await rows(test.db, 'UPDATE workspaces SET totp_secret = NULL, totp_confirmed_at = NULL');
  });

  const unreadable = 'cannot be decrypted: add the SECRET_KEY that encrypted it to SECRET_KEYS_OLD';
  const run = (env: NodeJS.ProcessEnv) => runAdmin({ db: test.db, env }, 'reencrypt');

  it('secrets are encrypted although that of the erasures cannot be decrypted, and what stays is listed', async () => {
    const { row, secret } = await register(former);
    const lost = await register(foreign);
    await offerTotp(test.db, former, workspaceId, byTest);
    await erasureKey(test.db, [foreign]);
    const { code, out, err } = await run({ SECRET_KEY: today, SECRET_KEYS_OLD: former });
    const lines = [
      '2 webhooks: 1 re-encrypted, 1 cannot be decrypted.',
      '1 TOTP secret: 1 re-encrypted, 0 cannot be decrypted.',
      `The secret of webhook ${lost.row.id} ${unreadable}.`,
      'The erasure key cannot be decrypted: erasures fail until SECRET_KEYS_OLD contains the SECRET_KEY that encrypted it.',
      '',
    ];
    assert.deepEqual([code, out, err], [1, lines.join('\n'), '']);
    assert.deepEqual(await opened(row), [secret, null]);
    await rows(test.db, 'DELETE FROM installation_keys');
    await rows(test.db, 'UPDATE workspaces SET totp_secret = NULL');
  });

  it('the command to encrypt secrets again says how many it encrypted', async () => {
    const { row, secret } = await register(former);
    const lost = await run({ SECRET_KEY: today });
    assert.deepEqual(
      [lost.code, lost.out],
      [1, `1 webhook: 0 re-encrypted, 1 cannot be decrypted.\nThe secret of webhook ${row.id} ${unreadable}.\n`],
    );
    const done = await run({ SECRET_KEY: today, SECRET_KEYS_OLD: `${foreign},${former}` });
    assert.deepEqual([done.code, done.out, done.err], [0, '1 webhook: 1 re-encrypted, 0 cannot be decrypted.\n', '']);
    assert.deepEqual(await opened(row), [secret, null]);
  });
});
