import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CheckoutStore, type LocalEvent } from '../../../local/checkout/store.js';
import { postEvent } from '../../../local/checkout/post-events.js';
import { type LocalSession, sessionFrom } from '../../../local/checkout/session.js';
import { startCounterpart } from '../../support/carriers/counterpart.js';

const form = new URLSearchParams({
  mode: 'payment',
  'line_items[0][price_data][unit_amount]': '100',
  'line_items[0][price_data][currency]': 'usd',
  'line_items[0][price_data][product_data][name]': 'Starter',
  success_url: 'https://example.test/ok',
});
const eventOf = ({ id, state }: LocalSession): LocalEvent => ({ id: 'evt_1', type: 'paid', created: 0, sessionId: id, object: { state } });

/** The state file cannot be written while its folder is missing, as on a full disk. */
describe('the local checkout on a full disk', () => {
  const above = mkdtempSync(join(tmpdir(), 'tidings-checkout-'));
  const folder = join(above, 'data');
  const path = join(folder, 'checkout.json');
  let store: CheckoutStore;
  let session: LocalSession;
  beforeEach(() => {
    mkdirSync(folder);
    store = new CheckoutStore(path);
    session = sessionFrom(form, null);
    store.add(session);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  after(() => rmSync(above, { recursive: true }));
  const stored = () => new CheckoutStore(path);

  it('a payment whose acknowledgement cannot be stored is posted again', async () => {
    const event = store.change(session, { state: 'paid' }, eventOf);
    let posts = 0;
    const api = await startCounterpart((_request, response) => {
      posts += 1;
      if (posts === 1) rmSync(folder, { recursive: true });
      else mkdirSync(folder);
      response.end();
    });
    try {
      await postEvent(store, event, { url: api.url, webhookSecret: 'whsec_test', signal: new AbortController().signal });
    } finally {
      await api.close();
    }
    assert.deepEqual([posts, store.events, stored().events], [2, [], []]);
  });

  it('a payment or session that cannot be stored has not happened', () => {
    rmSync(folder, { recursive: true });
    assert.throws(() => store.change(session, { state: 'paid' }, eventOf), /cannot be written/);
    assert.throws(() => store.add(sessionFrom(form, null)), /cannot be written/);
    assert.deepEqual([store.sessions.map(({ state }) => state), store.events], [['open'], []]);
    mkdirSync(folder);
    store.change(session, { state: 'paid' }, eventOf);
    assert.deepEqual([stored().sessions.map(({ state }) => state), stored().events.length], [['paid'], 1]);
  });
});
