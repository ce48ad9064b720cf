import assert from 'node:assert/strict';
import type { HistoryRecord } from './records.js';
import { judge, rules } from './oracle/judge.js';
import { draftOf, mutants, notice, runOf } from './oracle/mutants/all.js';
import { callsOf, type Draft, drop, dropEvents, entryOf, eventsOf, first, recordsOf, refold, sort } from './oracle/mutants/edit.js';
import { endsOf } from './oracle/statuses.js';

describe('the oracle of the chaos battery', () => {
  describe('on a perfect service', () => {
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      it(`the oracle finds no broken promise in run ${seed} of a perfect service`, () => {
        const { history, snapshot } = runOf(seed);
        assert.deepEqual(judge(history, snapshot).violations, []);
      });
    }

    it('the run of a perfect service contains everything that the rules are about', () => {
      const { history, snapshot } = runOf(1);
      const { figures } = judge(history, snapshot);
      const statuses = new Set(recordsOf({ history, snapshot } as Draft, 'answer').map(({ status }) => status));
      for (const status of [200, 201, 202, 400, 402, 409, 500, 503, null])
        assert.ok(statuses.has(status), `some call is answered ${status}`);
      for (const [name, count] of Object.entries(figures)) assert.ok(typeof count !== 'number' || count > 0, `${name}: ${String(count)}`);
    });
  });

  describe('on a service with a planted fault', () => {
    const noticed = new Map<string, string[]>();

    for (const mutant of mutants) {
      it(`the oracle notices that ${mutant.name}`, () => {
        const { by } = notice(mutant);
        noticed.set(mutant.name, by);
        assert.ok(by.includes(mutant.rule), `${mutant.rule} does not notice it; ${by.join(', ') || 'nobody'} does`);
      });
    }

    for (const rule of rules) {
      it(`a planted fault is not noticed without the rule ${rule.name}`, () => {
        const others = rules.filter((other) => other !== rule);
        const missed = mutants.filter(({ name }) => noticed.get(name)?.join() === rule.name);
        assert.ok(missed.length > 0, 'no mutant is noticed by this rule alone');
        for (const mutant of missed.slice(0, 1)) assert.deepEqual(notice(mutant, others).by, []);
      });
    }

    it('every rule of the oracle has enough planted faults with unique names', () => {
      assert.ok(mutants.length >= 100, String(mutants.length));
      assert.equal(new Set(mutants.map(({ name }) => name)).size, mutants.length);
      for (const { name } of rules)
        assert.ok(
          mutants.some(({ rule }) => rule === name),
          name,
        );
    });
  });

  describe('on what the contract permits under faults', () => {
    /** A message of no batch whose hand-off is unknown. Its carrier was called once. */
    const unknownIn = (run: Draft) =>
      first(
        run.snapshot.messages,
        (each) =>
          each.error_code === 'handoff_unknown' &&
          each.batch_id === null &&
          callsOf(run, each).filter(({ did }) => did === 'received').length === 1,
      );

    const unknownInBatch = ({ messages, batches }: Draft['snapshot']) =>
      messages.find(
        ({ error_code, status, batch_id }) =>
          status === 'failed' &&
          error_code === 'handoff_unknown' &&
          batches.some(({ id, status: now }) => id === batch_id && now === 'completed'),
      );

    /** A message whose hand-off is unknown although its carrier answered, with a fault at the time of the answer. */
    function unknownAfterAnswer(fault: {
      name: string;
      targets: HistoryRecord extends infer R ? (R extends { targets: infer T } ? T : never) : never;
      ms: number;
    }) {
      const run = draftOf(1);
      const row = unknownIn(run);
      const lost = first(callsOf(run, row), ({ did }) => did === 'lost');
      lost.did = 'answered';
      const { name, targets } = fault;
      run.history.push({ type: 'nemesis', nemesis: 99, did: 'began', name, targets, at: lost.at + 1 });
      run.history.push({ type: 'nemesis', nemesis: 99, did: 'ended', name, targets, at: lost.at + 1 + fault.ms });
      sort(run);
      return judge(run.history, run.snapshot).violations.map(({ rule }) => rule);
    }

    it('the oracle accepts an unknown hand-off after a kill of its worker', () =>
      assert.deepEqual(unknownAfterAnswer({ name: 'kill', targets: ['worker'], ms: 1_000 }), []));
    it('the oracle accepts an unknown hand-off after thirty seconds without the database', () =>
      assert.deepEqual(unknownAfterAnswer({ name: 'stop', targets: ['postgres'], ms: 31_000 }), []));
    it('the oracle accepts an unknown hand-off after a worker was frozen between claim and call', () => {
      const run = draftOf(1);
      const row = unknownIn(run);
      const received = first(callsOf(run, row), ({ did }) => did === 'received').at;
      first(callsOf(run, row), ({ did }) => did === 'lost').did = 'answered';
      first(run.snapshot.attempts, ({ message_id }) => message_id === row.id).started_at = received - 16_000;
      run.history.push({ type: 'nemesis', nemesis: 99, did: 'began', name: 'stop', targets: ['worker'], at: received - 15_500 });
      run.history.push({ type: 'nemesis', nemesis: 99, did: 'ended', name: 'stop', targets: ['worker'], at: received - 500 });
      sort(run);
      assert.deepEqual(judge(run.history, run.snapshot).violations, []);
    });
    it('the oracle refuses an unknown hand-off after a deploy', () =>
      assert.deepEqual(unknownAfterAnswer({ name: 'terminate', targets: ['worker'], ms: 1_000 }), ['lawful-failure']));
    it('the oracle refuses an unknown hand-off after a short failure of the database', () =>
      assert.deepEqual(unknownAfterAnswer({ name: 'backends', targets: ['postgres'], ms: 200 }), ['lawful-failure']));
    it('the oracle refuses an unknown hand-off after a failure of Temporal', () =>
      assert.deepEqual(unknownAfterAnswer({ name: 'kill', targets: ['temporal'], ms: 5_000 }), ['lawful-failure']));

    it('the oracle accepts a message of a paused batch that stays queued after a lost answer, and refuses it after its report', () => {
      const run = structuredClone(first([1, 2, 3, 4, 5, 6].map(runOf), ({ snapshot }) => unknownInBatch(snapshot) !== undefined)) as Draft;
      const row = first(run.snapshot.messages, ({ id }) => id === unknownInBatch(run.snapshot)?.id);
      Object.assign(row, { status: 'queued', error_code: null, credits_used: row.cost, failed_at: null });
      Object.assign(
        first(run.snapshot.batches, ({ id }) => id === row.batch_id),
        { status: 'paused', completed_at: null },
      );
      drop(run.snapshot.entries, ({ kind, reference }) => kind === 'refund' && reference === row.id);
      refold(run, row.workspace_id);
      dropEvents(run, eventsOf(run, row, 'message.failed'));
      assert.deepEqual(judge(run.history, run.snapshot).violations, []);
      const { account, carrier, providerId } = first(callsOf(run, row), ({ did }) => did === 'took');
      const report = { report: 9_999, account, carrier, providerId: providerId ?? '', status: 'sent' as const };
      run.history.push({ type: 'report', genuine: true, ...report, at: run.snapshot.at - 20 });
      run.history.push({ type: 'report-answer', report: 9_999, status: 204, at: run.snapshot.at - 10 });
      sort(run);
      const broken = judge(run.history, run.snapshot).violations.map(({ rule }) => rule);
      assert.deepEqual(broken, ['report-decides', 'report-is-kept']);
    });

    it('the oracle accepts a 402 with a refund at the same time', () => {
      const run = draftOf(1);
      const [workspace] = run.snapshot.workspaces;
      assert.ok(workspace);
      const price = 1000;
      const at = run.history.at(-1)?.at ?? 0;
      const [grant] = run.snapshot.entries.filter(({ workspace_id }) => workspace_id === workspace.id);
      assert.ok(grant);
      // The balance is spent and then refunded. The refusal may have been decided in between.
      const spend = { ...grant, kind: 'adjustment' as const, amount: -workspace.balance, reference: 'spent', created_at: at + 10 };
      run.snapshot.entries.push(spend, { ...spend, amount: workspace.balance, reference: 'given back', created_at: at + 20 });
      refold(run, workspace.id);
      assert.equal(entryOf(run, 'adjustment', 'spent').balance_after, 0);
      const call = { type: 'call', call: 77_777, operation: 'send', workspace: workspace.id, key: 'k', channel: 'sms' } as const;
      run.history.push({ ...call, items: [{ to: '+15551234567', token: 'tkbetween', length: 20 }], at: at + 5 });
      const error = `Insufficient credits. You need ${price / 1000} credits but have 0.`;
      run.history.push({
        type: 'answer',
        call: 77_777,
        status: 402,
        replayed: false,
        code: null,
        error,
        id: null,
        data: null,
        at: at + 30,
      });
      assert.deepEqual(judge(run.history, run.snapshot).violations, []);
    });
  });

  describe('the statuses in which a message may end', () => {
    const ends = (
      begins: 'sent' | 'failed',
      sure: Parameters<typeof endsOf>[1],
      perhaps: Parameters<typeof endsOf>[2] = [],
      channel = 'sms',
    ) => [...endsOf(begins, sure, perhaps, channel)].toSorted();

    it('the statuses in which a message may end follow from the reports', () => {
      assert.deepEqual(ends('sent', []), ['sent']);
      assert.deepEqual(ends('sent', ['sent', 'failed']), ['failed']);
      assert.deepEqual(ends('sent', ['failed', 'delivered']), ['delivered']);
    });
    it('a message may end as read only on WhatsApp', () => {
      assert.deepEqual(ends('sent', ['delivered', 'read'], [], 'whatsapp'), ['read']);
      assert.deepEqual(ends('sent', ['delivered', 'read']), ['delivered']);
      assert.deepEqual(ends('sent', ['failed', 'read'], [], 'whatsapp'), ['failed', 'read']);
    });
    it('a message may end in several statuses if it is unknown which reports were stored', () => {
      assert.deepEqual(ends('sent', [], ['delivered']), ['delivered', 'sent']);
      assert.deepEqual(ends('sent', ['failed'], ['delivered']), ['delivered', 'failed']);
    });
    it('a message that was given up may end as failed, or as delivered after a late correction', () => {
      assert.deepEqual(ends('failed', ['sent']), ['failed']);
      assert.deepEqual(ends('failed', ['delivered']), ['delivered']);
    });
  });
});
