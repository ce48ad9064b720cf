/** What the owner learns of failed tries: of passwords and codes, at logins and with a JWT. */
import assert from 'node:assert/strict';
import { rows } from '../../support/database.js';
import { useApi } from '../use-api.js';
import { type Owner, owner, password } from './owner.js';
import { enrol, wrongCode } from './second-factor.js';

describe('failed tries', () => {
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  let me: Owner;
  beforeEach(async () => {
    me = await owner(app);
  });

  const elapse = () => rows(app.deps.db, "UPDATE login_tries SET blocked_until = blocked_until - interval '1 hour'");
  const failures = async () => {
    const { body } = await me.call('GET', '/audit-events?type=auth.login_failed');
    return body.data.audit_events.map(
      ({ changes, actor }: { changes: { tries: number; reason?: string }; actor: { id: string | null } }) => [
        changes.tries,
        changes.reason,
        actor.id,
      ],
    );
  };
  const times = async (count: number, act: () => Promise<unknown>) => {
    for (let time = 1; time <= count; time += 1) await act();
  };
  const lockMails = async () => (await me.mails()).filter((kind) => kind === 'login_locked').length;

  it('the owner gets the lock mail after a fifth login without a code', async () => {
    await enrol(me);
    await times(4, () => me.logIn('wrong horse'));
    assert.equal(await lockMails(), 0);
    assert.equal((await me.logIn()).body.code, 'code_required');
    assert.equal(await lockMails(), 1);
    await elapse();
    await me.logIn('wrong horse');
    assert.equal(await lockMails(), 1, 'once a day');
  });
  it('the owner gets the lock mail at a later failed login if none was sent at the fifth', async () => {
    await times(5, () => me.logIn('wrong horse'));
    await rows(app.deps.db, "DELETE FROM mails WHERE kind = 'login_locked'");
    await elapse();
    await me.logIn('wrong horse');
    assert.equal(await lockMails(), 1);
  });
  for (const path of ['/api/v1/auth/login', '/console/session']) {
    it(`failed tries are recorded with the right password, without a code and with a wrong one: ${path}`, async () => {
      const { secret } = await enrol(me);
      const logIn = (more: object) => app.call('POST', path, { body: { email: me.email, password, ...more } });
      assert.equal((await logIn({})).status, 401);
      assert.equal((await logIn({ code: wrongCode(secret) })).status, 401);
      assert.deepEqual(await failures(), [
        [2, 'wrong_code', null],
        [1, 'code_required', null],
      ]);
    });
  }
  it('401 for wrong current passwords, which are recorded and mailed', async () => {
    const change = () => me.call('PUT', '/auth/password', { current_password: 'wrong horse', password: 'another horse' });
    await times(5, async () => assert.equal((await change()).status, 401));
    assert.equal((await change()).status, 429);
    assert.deepEqual(
      await failures(),
      [5, 4, 3, 2, 1].map((tries) => [tries, 'wrong_current_password', null]),
    );
    assert.equal(await lockMails(), 1);
  });
  it('400 for wrong codes to disable the second factor, which are recorded and mailed', async () => {
    const { secret } = await enrol(me);
    const remove = () => me.call('DELETE', '/auth/totp', { code: wrongCode(secret) });
    await times(5, async () => assert.equal((await remove()).status, 400));
    assert.equal((await remove()).status, 429);
    assert.deepEqual(
      await failures(),
      [5, 4, 3, 2, 1].map((tries) => [tries, 'wrong_removal_code', null]),
    );
    assert.equal(await lockMails(), 1);
  });
  it('429 for wrong codes of the second factor, also if the right current password came between them', async () => {
    const { secret } = await enrol(me);
    const remove = async () => (await me.call('DELETE', '/auth/totp', { code: wrongCode(secret) })).status;
    await times(4, async () => assert.equal(await remove(), 400));
    const taken = await me.call('POST', '/auth/change-email', { email: me.email, current_password: password });
    assert.equal(taken.body.error, 'Email already exists');
    assert.deepEqual([await remove(), await remove()], [400, 429]);
  });
});
