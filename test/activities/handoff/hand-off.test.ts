import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { handOff } from '../../../activities/handoff/hand-off.js';
import { NoAnswer } from '../../../activities/handoff/providers/http-client.js';
import type { Provider, SendOutcome } from '../../../activities/handoff/providers/provider.js';
import type { Claim } from '../../../models/operations/handoff/claim-handoffs.js';
import { notKnownYet } from '../../../models/operations/handoff/uncertain-handoffs.js';
import { stubProvider } from '../../support/carriers/stub-provider.js';

const claimOf = (uncertain: boolean): Claim => ({
  id: uuidv7(),
  workspace_id: uuidv7(),
  channel: 'sms',
  to: '+15551234567',
  content: { text: 'Hello' },
  reference: null,
  traceparent: null,
  account: 'stub',
  attempt: uncertain ? 2 : 1,
  uncertain,
  uncertain_ms: uncertain ? 60_000 : null,
});
const signal = new AbortController().signal;

describe('handOff', () => {
  const outcomes: [SendOutcome, number][] = [
    [{ outcome: 'accepted', provider_message_id: 'p-1' }, 0],
    [{ outcome: 'rejected', error_code: '30008', error_message: 'Unknown destination', provider_error_code: '21211' }, 0],
    [{ outcome: 'retryable', detail: '503' }, 0],
    [{ outcome: 'throttled', detail: '429', retryAfterMs: 7_000 }, 7_000],
    [{ outcome: 'unknown', detail: 'reset' }, 0],
  ];
  for (const [outcome, retryAfterMs] of outcomes) {
    it(`the result of a hand-off that is ${outcome.outcome} has message, attempt and provider`, async () => {
      const claim = claimOf(false);
      const handoff = await handOff(
        stubProvider(() => outcome),
        claim,
        signal,
      );
      assert.equal(handoff.retryAfterMs, retryAfterMs);
      assert.deepEqual(handoff.result, { ...outcome, id: claim.id, attempt: 1, provider: 'stub' });
    });
  }

  for (const [what, outcome] of [
    ['an id with NUL', { outcome: 'accepted', provider_message_id: 'a\0b' }],
    ['an id with half a character', { outcome: 'accepted', provider_message_id: '\ud800' }],
    ['an id of 5,000 characters', { outcome: 'accepted', provider_message_id: 'x'.repeat(5_000) }],
    ['a detail with NUL', { outcome: 'retryable', detail: 'a\0b' }],
  ] satisfies [string, SendOutcome][]) {
    it(`an answer with ${what}, which PostgreSQL cannot store, is an unknown outcome`, async () => {
      const { result } = await handOff(
        stubProvider(() => outcome),
        claimOf(false),
        signal,
      );
      assert.deepEqual([result.outcome, 'detail' in result && result.detail], ['unknown', 'unusable response']);
    });
  }

  it('an exception of a provider is an unknown outcome, without its text', async () => {
    const { result } = await handOff(
      stubProvider(() => Promise.reject(new TypeError('secret +15551234567'))),
      claimOf(false),
      signal,
    );
    assert.deepEqual([result.outcome, 'detail' in result && result.detail], ['unknown', 'TypeError']);
  });

  it('an uncertain call to an idempotent provider is repeated with the same id', async () => {
    const provider = stubProvider();
    const claim = claimOf(true);
    assert.equal((await handOff(provider, claim, signal)).result.outcome, 'accepted');
    assert.deepEqual(provider.calls, [claim.id]);
  });

  describe('on an uncertain call to a provider without idempotency keys', () => {
    const reconciling = (reconcile?: Provider['reconcile']) =>
      stubProvider(undefined, { idempotent: false, ...(reconcile === undefined ? {} : { reconcile }) });

    it('an uncertain call is accepted with the id that the provider finds, without a second call', async () => {
      const provider = reconciling(async () => 'p-found');
      const { result } = await handOff(provider, claimOf(true), signal);
      assert.deepEqual([result.outcome, 'provider_message_id' in result && result.provider_message_id], ['accepted', 'p-found']);
      assert.deepEqual(provider.calls, []);
    });

    for (const [what, reconcile] of [
      ['cannot tell', async () => undefined],
      ['cannot be asked', undefined],
    ] as const) {
      it(`an uncertain call fails as handoff_unknown when the provider ${what}`, async () => {
        const provider = reconciling(reconcile);
        const { result } = await handOff(provider, claimOf(true), signal);
        assert.deepEqual([result.outcome, 'error_code' in result && result.error_code], ['rejected', 'handoff_unknown']);
        assert.deepEqual(provider.calls, []);
      });
    }

    it('an uncertain call stays unknown when the query fails, without a second call', async () => {
      const provider = reconciling(() => Promise.reject(new NoAnswer('timeout', true)));
      const { result } = await handOff(provider, claimOf(true), signal);
      assert.deepEqual([result.outcome, 'detail' in result && result.detail], ['unknown', notKnownYet]);
      assert.deepEqual(provider.calls, []);
    });

    it('no query is made before the first call to a provider', async () => {
      let asked = 0;
      const provider = reconciling(async () => void (asked += 1));
      assert.equal((await handOff(provider, claimOf(false), signal)).result.outcome, 'accepted');
      assert.equal(asked, 0);
    });
  });
});
