import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CheckoutBook, type LocalEvent } from '../../../local/checkout/book.js';
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
  let book: CheckoutBook;
  let session: LocalSession;
  beforeEach(() => {
    mkdirSync(folder);
    book = new CheckoutBook(path);
    session = sessionFrom(form, null);
    book.add(session);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  after(() => rmSync(above, { recursive: true }));
  const stored = () => new CheckoutBook(path);

  it('a payment whose acknowledgement cannot be stored is posted again', async () => {
    const event = book.change(session, { state: 'paid' }, eventOf);
    let posts = 0;
    const api = await startCounterpart((_request, response) => {
      posts += 1;
      if (posts === 1) rmSync(folder, { recursive: true });
      else mkdirSync(folder);
      response.end();
    });
    try {
      await postEvent(book, event, { url: api.url, webhookSecret: 'whsec_test', signal: new AbortController().signal });
    } finally {
      await api.close();
    }
    assert.deepEqual([posts, book.events, stored().events], [2, [], []]);
  });

  it('a payment or session that cannot be stored has not happened', () => {
    rmSync(folder, { recursive: true });
    assert.throws(() => book.change(session, { state: 'paid' }, eventOf), /cannot be written/);
    assert.throws(() => book.add(sessionFrom(form, null)), /cannot be written/);
    assert.deepEqual([book.sessions.map(({ state }) => state), book.events], [['open'], []]);
    mkdirSync(folder);
    book.change(session, { state: 'paid' }, eventOf);
    assert.deepEqual([stored().sessions.map(({ state }) => state), stored().events.length], [['paid'], 1]);
  });
});
