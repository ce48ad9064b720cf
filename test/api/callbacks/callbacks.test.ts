import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { signSandboxCallback } from '../../../models/rules/callbacks/sandbox.js';
import { rows } from '../../support/database.js';
import { buildQueued } from '../../support/rows/factories.js';
import { whileReplaced } from '../start-app.js';
import { useApi } from '../use-api.js';

describe('POST /callbacks/:provider', () => {
  const app = useApi();
  const post = (body: string, headers: Record<string, string>) => app.call('POST', '/callbacks/sandbox', { body, headers });
  const signed = (body: string) => signSandboxCallback(app.deps.config.secretKey, body);
  const report = (reference: string, id: string = uuidv7()) =>
    JSON.stringify({ reports: [{ id, reference, status: 'delivered', error_code: null, occurred_at: new Date().toISOString() }] });
  /** A message that the sandbox knows, and its report. */
  async function reported(): Promise<{ id: string; body: string }> {
    const { workspaceId } = await app.account();
    const { id } = await buildQueued(app.deps.db, workspaceId);
    const providerMessageId = uuidv7();
    await rows(app.deps.db, `UPDATE messages SET provider = 'sandbox', provider_message_id = $2 WHERE id = $1`, [id, providerMessageId]);
    return { id, body: report(id, providerMessageId) };
  }

  it('200 for a delivery report, which is stored and wakes its workflow once', async () => {
    const { id, body } = await reported();
    const { status, body: answer } = await post(body, signed(body));
    assert.deepEqual([status, answer], [200, { success: true, data: { received: 1 } }]);
    assert.deepEqual(app.calls, [`wake msg:${id}`]);
    assert.equal((await post(body, signed(body))).status, 200);
    assert.equal(app.calls.length, 1);
  });
  it('200 for a delivery report whose wake fails', async () => {
    const { body } = await reported();
    let wakes = 0;
    const failing = async () => {
      wakes += 1;
      throw new Error('away');
    };
    const { status } = await whileReplaced(app.deps.temporal, 'wake', failing, () => post(body, signed(body)));
    assert.deepEqual([status, wakes], [200, 1]);
  });
  it('403 for a callback with a wrong, a missing or an old signature', async () => {
    const body = report(uuidv7());
    const old = signSandboxCallback(app.deps.config.secretKey, body, new Date(Date.now() - 3_600_000));
    for (const headers of [{}, old, signed(`${body} `), { ...signed(body), 'X-Sandbox-Signature': 'x' }]) {
      const answer = await post(body, headers as Record<string, string>);
      assert.deepEqual([answer.status, answer.body.error, answer.body.code], [403, 'Invalid signature', 'forbidden']);
    }
  });
  it('400 for a signed callback without a report', async () => {
    for (const body of ['{', '{}', '{"reports":[{}]}']) assert.equal((await post(body, signed(body))).status, 400);
  });
  it('404 for a callback of an unknown provider', async () => {
    for (const name of ['nobody', '__proto__', 'constructor']) {
      const { status, body } = await app.call('POST', `/callbacks/${name}`, { body: '{}' });
      assert.deepEqual([status, body.error], [404, 'Not found']);
    }
  });
});
