import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { lastReport, postDueReports, type Taken, takeMessages } from '../../../../models/operations/messages/sandbox.js';
import type { SandboxReport } from '../../../../models/rules/callbacks/sandbox.js';
import type { Script } from '../../../../models/rules/messages/sandbox-recipients.js';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';

const script: Script = {
  reports: [
    { status: 'delivered', step: 1 },
    { status: 'read', step: 2 },
  ],
};

describe('the memory of the sandbox', () => {
  const test = useDatabase({ forEachTest: true });

  const take = async (messageId: string, taken: Script, delayMs: number): Promise<Taken> => {
    const [answer] = await takeMessages(test.db, [{ messageId, script: taken, delayMs }]);
    return answer as Taken;
  };

  /** What `postDueReports` hands over. */
  const post = async (limit = 100): Promise<SandboxReport[]> => {
    const posted: SandboxReport[] = [];
    await postDueReports(test.db, limit, async (reports) => void posted.push(...reports));
    return posted;
  };

  it('the memory of the sandbox accepts a message once for repeated and concurrent calls', async () => {
    const id = uuidv7();
    const answers = await Promise.all(Array.from({ length: 6 }, () => take(id, script, 0)));
    assert.equal(new Set(answers.map(({ provider_message_id }) => provider_message_id)).size, 1);
    assert.deepEqual(
      (await post()).map(({ reference, status }) => [reference, status]),
      [
        [id, 'delivered'],
        [id, 'read'],
      ],
    );
  });

  it('the memory of the sandbox accepts several messages at once, each by its script', async () => {
    const [taken, shy, silent] = [uuidv7(), uuidv7(), uuidv7()];
    const scripts: [string, Script][] = [
      [taken, script],
      [shy, { ...script, unavailable: 1 }],
      [silent, { reports: [] }],
      [taken, script],
    ];
    const calls = scripts.map(([messageId, ofIt]) => ({ messageId, script: ofIt, delayMs: 0 }));
    const first = (await takeMessages(test.db, calls)).map(({ provider_message_id }) => provider_message_id);
    assert.deepEqual(
      first.map((id) => id !== null),
      [true, false, true, true],
    );
    assert.equal(first[0], first[3]);
    assert.deepEqual(
      (await post()).map(({ reference }) => reference),
      [taken, taken],
    );
  });

  it('the sandbox is unavailable as often as the script says, and then accepts', async () => {
    const id = uuidv7();
    const answers: boolean[] = [];
    for (const _ of [1, 2, 3, 4]) answers.push((await take(id, { ...script, unavailable: 2 }, 0)).provider_message_id !== null);
    assert.deepEqual(answers, [false, false, true, true]);
    assert.equal((await post()).length, 2);
  });

  it('the memory of the sandbox posts a report when it is due, not before, and not again', async () => {
    const { provider_message_id } = await take(uuidv7(), script, 60_000);
    assert.deepEqual(await post(), []);
    await rows(test.db, `UPDATE sandbox_reports SET due_at = now() - interval '1 second' WHERE status = 'delivered'`);
    const [report, ...others] = await post();
    assert.deepEqual([report?.id, report?.status, report?.error_code, others], [provider_message_id, 'delivered', null, []]);
    assert.ok(!Number.isNaN(Date.parse(report?.occurred_at ?? '')));
    assert.deepEqual(await post(), []);
  });

  it('the memory of the sandbox keeps reports due when the post fails', async () => {
    await take(uuidv7(), { reports: [{ status: 'failed', error_code: '30006', step: 0 }] }, 0);
    await assert.rejects(
      postDueReports(test.db, 10, () => Promise.reject(new Error('unreachable'))),
      /unreachable/,
    );
    assert.deepEqual(
      (await post()).map(({ status, error_code }) => [status, error_code]),
      [['failed', '30006']],
    );
  });

  it('the memory of the sandbox gives each report to one of several posters, up to the limit', async () => {
    for (let index = 0; index < 10; index += 1) await take(uuidv7(), { reports: [{ status: 'delivered', step: 0 }] }, 0);
    const portions = (await Promise.all([post(4), post(4), post(4)])).map((reports) => reports.map(({ reference }) => reference));
    assert.equal(Math.max(...portions.map(({ length }) => length)), 4);
    assert.equal(new Set(portions.flat()).size, 10);
    assert.equal(portions.flat().length, 10);
  });

  it('the memory of the sandbox answers a status query with the last due report', async () => {
    const silent = await take(uuidv7(), { reports: [] }, 0);
    assert.equal(await lastReport(test.db, silent.provider_message_id ?? ''), undefined);
    const { provider_message_id } = await take(uuidv7(), script, 60_000);
    assert.equal(await lastReport(test.db, provider_message_id ?? ''), undefined);
    await rows(test.db, `UPDATE sandbox_reports SET due_at = now() - interval '1 second' WHERE status = 'delivered'`);
    assert.equal((await lastReport(test.db, provider_message_id ?? ''))?.status, 'delivered');
  });
});
