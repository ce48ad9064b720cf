import assert from 'node:assert/strict';
import { readStripeEvent, type ReversalChange } from '../../../../models/rules/billing/payment-event.js';

type Fields = Record<string, unknown>;

const paid: Fields = {
  id: 'cs_1',
  payment_status: 'paid',
  payment_intent: 'pi_1',
  amount_total: 500,
  currency: 'usd',
  client_reference_id: 'order-of-reference',
  metadata: { order_id: 'order-of-metadata' },
};
const refunded: Fields = { id: 'ch_1', payment_intent: 'pi_1', amount: 500, amount_refunded: 200, currency: 'usd' };
const disputed: Fields = { id: 'dp_1', payment_intent: 'pi_1', amount: 500, currency: 'usd', status: 'needs_response' };

const read = (type: string, object: Fields, previous_attributes?: unknown) =>
  readStripeEvent({ id: 'evt_1', type, livemode: false, created: 60, data: { object, previous_attributes } }, 'raw');
const at = new Date(60_000);
const changeOf = (type: string, object: Fields) => read(type, object)?.change;
const session = (what: string, changes: Fields = {}) => changeOf(`checkout.session.${what}`, { ...paid, ...changes }) as Fields | null;
const refund = (changes: Fields = {}) => changeOf('charge.refunded', { ...refunded, ...changes });
const dispute = (changes: Fields = {}) => changeOf('charge.dispute.updated', { ...disputed, ...changes });

describe('an event of the payment provider', () => {
  it('an event keeps its id, type and bytes, and an unknown type has no effect', () => {
    assert.deepEqual(read('ping', {}), { provider: 'stripe', id: 'evt_1', type: 'ping', isLive: false, change: null, raw: 'raw' });
    for (const type of ['charge.refunded.later', 'a.checkout.session.', 'a.charge.dispute.']) {
      assert.equal(changeOf(type, { ...paid, ...refunded }), null, type);
    }
    assert.equal(readStripeEvent({ id: 'evt_1', type: 'checkout.session.completed' }, '')?.change, null, 'without data');
    assert.equal(readStripeEvent({ id: 'evt_1', type: 'checkout.session.completed', data: null }, '')?.change, null);
  });

  it('an event is about real money only if it says so', () => {
    const isLive = (livemode: unknown) => readStripeEvent({ id: 'evt_1', type: 'ping', livemode }, '')?.isLive;
    assert.deepEqual([true, false, 'true', 1, undefined].map(isLive), [true, false, false, false, false]);
  });

  it('a body without an id or a type is not an event', () => {
    for (const event of [
      null,
      undefined,
      'text',
      5,
      [],
      {},
      { id: 'evt_1' },
      { type: 'ping' },
      { id: 5, type: 'ping' },
      { id: 'evt_1', type: 5 },
    ]) {
      assert.equal(readStripeEvent(event, ''), null, JSON.stringify(event));
    }
  });
});

describe('a checkout session', () => {
  it('a completed and paid checkout gives the order, the payment and the amount', () => {
    assert.deepEqual(session('completed'), {
      kind: 'session',
      sessionId: 'cs_1',
      orderId: 'order-of-metadata',
      paymentId: 'pi_1',
      amountCents: 500,
      currency: 'usd',
      state: 'paid',
    });
  });

  it('a checkout session is pending while it is unpaid, and paid if nothing is due', () => {
    const stateOf = (what: string, payment_status: string) => session(what, { payment_status })?.state;
    assert.equal(stateOf('completed', 'unpaid'), 'pending');
    assert.equal(stateOf('completed', 'no_payment_required'), 'paid');
    assert.equal(stateOf('async_payment_succeeded', 'paid'), 'paid');
    assert.equal(stateOf('async_payment_failed', 'unpaid'), 'failed');
    assert.equal(stateOf('expired', 'unpaid'), 'expired');
    assert.equal(session('created'), null, 'no result yet');
  });

  it('a checkout without metadata is matched to its order by the reference', () => {
    for (const metadata of [undefined, null, {}, { order_id: 5 }])
      assert.equal(session('completed', { metadata })?.orderId, 'order-of-reference');
    assert.equal(session('completed', { metadata: null, client_reference_id: null })?.orderId, null);
  });

  it('a checkout without a payment counts as the payment, and an expanded payment is read by its id', () => {
    assert.equal(session('completed', { payment_intent: null })?.paymentId, 'cs_1');
    assert.equal(session('completed', { payment_intent: { id: 'pi_2' } })?.paymentId, 'pi_2');
  });

  it('a checkout with an unusable amount has null for it, and one without an id is ignored', () => {
    const change = session('completed', { amount_total: '500', currency: null });
    assert.deepEqual([change?.amountCents, change?.currency], [null, null]);
    assert.equal(session('completed', { id: 5 }), null);
  });
});

describe('a refund', () => {
  it('a refund takes back the sum of all refunds of the charge, and a later one may take more', () => {
    const common = { kind: 'refund', cause: 'ch_1', paymentId: 'pi_1', amountCents: 200, currency: 'usd' };
    const change = { ...common, beforeCents: null, chargeCents: 500, isDecided: false, at };
    assert.deepEqual(refund(), change);
    assert.deepEqual(refund({ amount_refunded: 0 }), { ...change, amountCents: 0 });
    assert.deepEqual(refund({ payment_intent: { id: 'pi_1' } }), change);
  });

  it('a refund has the sum that was refunded before, if its event has it', () => {
    const beforeOf = (previous: unknown) => (read('charge.refunded', refunded, previous)?.change as ReversalChange | null)?.beforeCents;
    assert.deepEqual([{ amount_refunded: 50 }, { amount_refunded: 0, refunded: false }].map(beforeOf), [50, 0]);
    for (const previous of [undefined, null, 'none', {}, { amount_refunded: null }, { amount_refunded: '50' }, { amount_refunded: -1 }])
      assert.equal(beforeOf(previous), null);
  });

  it('a refund has what its charge took, which may be less than was authorized', () => {
    const chargeOf = (changes: Fields) => (refund(changes) as ReversalChange | null)?.chargeCents;
    assert.deepEqual([{}, { amount_captured: 300 }, { amount_captured: 0 }].map(chargeOf), [500, 300, 500]);
    for (const amount of [undefined, null, '500', 0, -1]) assert.equal(chargeOf({ amount }), null);
  });

  const broken: Fields[] = [{ id: 5 }, { payment_intent: null }, { payment_intent: {} }, { currency: null }];
  const noAmounts: unknown[] = ['200', -1, 1.5, 2 ** 53, null];
  for (const changes of [...broken, ...noAmounts.map((amount_refunded) => ({ amount_refunded }))])
    it(`a refund takes back nothing with ${JSON.stringify(changes)}`, () => assert.equal(refund(changes), null));
});

describe('a failed refund', () => {
  const failed: Fields = { id: 're_1', charge: 'ch_1', payment_intent: 'pi_1', amount: 200, currency: 'usd', status: 'failed' };
  const change = { kind: 'failed_refund', cause: 're_1', charge: 'ch_1', paymentId: 'pi_1', amountCents: 200, currency: 'usd', at };

  it('a failed refund is recognized by its status in each event about a refund', () => {
    for (const type of ['refund.failed', 'refund.updated', 'charge.refund.updated']) {
      assert.deepEqual(changeOf(type, failed), change);
      assert.deepEqual(changeOf(type, { ...failed, charge: { id: 'ch_1' }, status: 'canceled' }), change);
      for (const status of ['pending', 'succeeded', 'requires_action', undefined])
        assert.equal(changeOf(type, { ...failed, status }), null);
    }
    assert.equal(changeOf('a.refund.failed', failed), null);
  });

  it('a failed refund has no time if its event has none', () => {
    for (const created of [undefined, '60', -1, 253_402_300_800]) {
      const event = readStripeEvent({ id: 'evt_1', type: 'refund.failed', created, data: { object: failed } }, '');
      assert.deepEqual(event?.change, { ...change, at: null });
    }
  });

  for (const changes of [{ id: 5 }, { charge: null }, { payment_intent: null }, { currency: null }, { amount: '200' }, { amount: -1 }])
    it(`a failed refund with ${JSON.stringify(changes)} gives nothing back`, () =>
      assert.equal(changeOf('refund.failed', { ...failed, ...changes }), null));
});

describe('a dispute', () => {
  const outcomes: [unknown, number, boolean][] = [
    ['needs_response', 500, false],
    ['under_review', 500, false],
    ['lost', 500, true],
    ['won', 0, true],
    ['prevented', 500, true],
    ['warning_needs_response', 0, false],
    ['warning_closed', 0, false],
    ['no_warning_', 500, false],
    [undefined, 500, false],
  ];
  for (const [status, amountCents, isDecided] of outcomes) {
    it(`a dispute that is ${status} takes back ${amountCents} cents, ${isDecided ? 'decided' : 'undecided'}`, () => {
      assert.deepEqual(dispute({ status }), {
        kind: 'dispute',
        cause: 'dp_1',
        paymentId: 'pi_1',
        amountCents,
        beforeCents: null,
        chargeCents: null,
        currency: 'usd',
        isDecided,
        at,
      });
    });
  }

  it('a prevented dispute takes back nothing if the card network blocked it', () => {
    const prevented = (payment_method_details: unknown) => {
      const change = dispute({ status: 'prevented', payment_method_details });
      return change?.kind === 'dispute' ? change.amountCents : null;
    };
    assert.deepEqual(
      [{ card: { case_type: 'block' } }, { card: { case_type: 'resolution' } }, { card: null }, null].map(prevented),
      [0, 500, 500, 500],
    );
    assert.equal((dispute({ payment_method_details: { card: { case_type: 'block' } } }) as ReversalChange | null)?.amountCents, 500);
  });

  for (const changes of [{ id: 5 }, { payment_intent: null }, { currency: null }, { amount: '500' }, { amount: -1 }])
    it(`a dispute takes back nothing with ${JSON.stringify(changes)}`, () => assert.equal(dispute(changes), null));
});
