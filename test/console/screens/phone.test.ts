/** The lists of the console on a phone and on a tablet, with rows of realistic length. */
import assert from 'node:assert/strict';
import { suppress } from '../../../models/operations/contacts/suppress.js';
import { rows } from '../../support/database.js';
import { buildAcceptedBatch } from '../../support/rows/batches.js';
import { attemptWith, buildDeliveries, recordAttempts } from '../../support/rows/deliveries.js';
import { buildReplay, buildWebhook } from '../../support/rows/factories.js';
import { buildSent } from '../../support/rows/messages.js';
import { useApi } from '../../api/use-api.js';
import { useConsole } from '../use-console.js';

const email = 'a.rather.long.recipient@customers.example.com';

/** Addresses, and a text of a row. `:webhook` is the id of the webhook. */
const lists: readonly (readonly [path: string, text: string])[] = [
  ['/messages', email],
  ['/batches', 'sending'],
  ['/webhooks', 'https://hooks.example.com/tidings/events'],
  ['/webhooks/:webhook', 'message.queued'],
  ['/contacts', 'Augusta Ada King, Countess of Lovelace'],
  ['/suppressions', email],
  ['/billing', 'Signup credits'],
  ['/audit', 'workspace.created'],
  ['/keys', 'The key of the order service'],
  ['/settings', 'this one'],
];

describe('the lists of the console on a phone and on a tablet', () => {
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  const { browser, me } = useConsole(app);
  let webhook: string;
  before(async () => {
    const { db } = app.deps;
    const { workspaceId } = me;
    await rows(db, 'UPDATE workspaces SET balance = 500000 WHERE id = $1', [workspaceId]);
    webhook = (await buildWebhook(workspaceId, 'https://hooks.example.com/tidings/events')).row.id;
    await buildReplay(webhook);
    const [delivery] = await buildDeliveries(db, workspaceId);
    assert.ok(delivery !== undefined);
    await recordAttempts(db, [attemptWith(delivery, { status: 'pending', inSeconds: 3_600 })]);
    await buildAcceptedBatch(db, workspaceId, [250]);
    await buildSent(db, workspaceId, { channel: 'email', to: email }); // after the batch, so that it is on the first page
    await suppress(db, [{ workspace_id: workspaceId, channel: 'email', recipient: email, reason: 'opt_out', source: 'unsubscribe' }]);
    await suppress(db, [{ workspace_id: workspaceId, channel: 'whatsapp', recipient: '+15551234567', reason: 'manual', source: 'api' }]);
    await me.call('POST', '/api-keys', { name: 'The key of the order service', expires_at: '2099-01-01T00:00:00Z' });
    await me.call('POST', '/contacts', { name: 'Augusta Ada King, Countess of Lovelace', phone: '+15551234567', tags: ['customers'] });
  });

  it('long names of files and columns are broken, and no emoji is cut in half', async () => {
    await browser.onPhone();
    for (const path of ['/contacts/import', '/batches/new']) {
      await browser.open(path);
      await browser.choose(`phone,${'x'.repeat(29)}👍👍${'x'.repeat(60)}\r\n+15551234567,x\r\n`, `${'y'.repeat(80)}.csv`);
      await browser.see(/^x{29}👍|y{80}/u);
      await browser.assertFitsPhone();
      assert.equal((await browser.page.locator('main').innerText()).isWellFormed(), true);
    }
  });

  it('the ledger has all its values on a phone and on paper, which has no navigation', async () => {
    await browser.onPhone();
    await browser.open('/billing');
    const { page, row } = browser;
    await row('Signup credits').waitFor();
    for (const [width, media] of [
      [360, 'screen'],
      [700, 'print'],
    ] as const) {
      await page.setViewportSize({ width, height: 740 });
      await page.emulateMedia({ media });
      for (const title of ['Type', 'Balance', 'Reference']) {
        assert.equal(await row('Signup credits').locator(`[data-title=${title}]`).isVisible(), true, `${title}, ${media}`);
      }
      assert.equal(await page.getByRole('navigation', { name: 'Screens' }).isVisible(), media === 'screen');
    }
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
    await page.emulateMedia({ media: null });
  });

  it('wider spacing of texts covers nothing and does not widen the page', async () => {
    await browser.page.setViewportSize({ width: 320, height: 640 });
    for (const path of ['/contacts', '/messages', '/audit', `/webhooks/${webhook}`]) {
      await browser.open(path);
      await browser.page.locator('tbody tr').first().waitFor();
      await browser.page.evaluate(`{
        const sheet = new CSSStyleSheet();
        sheet.replaceSync('* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }');
        document.adoptedStyleSheets = [sheet];
      }`);
      assert.deepEqual(await browser.page.evaluate(coveredCells), [], path);
      assert.equal(await browser.page.evaluate('document.documentElement.scrollWidth'), 320, path);
    }
  });

  for (const [path, text] of lists) {
    it(`${path} shows its rows without sideways scrolling`, async () => {
      await browser.onPhone();
      await browser.open(path.replace(':webhook', webhook));
      if (path === '/settings') await browser.press('Show open sessions');
      await browser.row(text).first().waitFor();
      // The list is read again when the stream opens. Its table is dimmed meanwhile.
      await browser.page.locator('.stream.connecting, [aria-busy=true]').first().waitFor({ state: 'detached' });
      await browser.assertAccessible();
      await browser.assertFitsPhone();
      assert.deepEqual(await browser.page.evaluate(widerTables), []);
      for (const width of [768, 834, 1_024]) {
        await browser.page.setViewportSize({ width, height: 1_024 });
        assert.deepEqual(await browser.page.evaluate(widerTables), [], `${width} px`);
      }
    });
  }
});

/** The names of the tables that scroll sideways. */
const widerTables = `[...document.querySelectorAll('.table')].filter((table) => table.scrollWidth > table.clientWidth).map((table) => table.ariaLabel)`;

/** The titles of the cells that begin below the title of their column. */
const coveredCells = `[...document.querySelectorAll('td')].filter((cell) => {
  const range = document.createRange();
  range.selectNodeContents(cell);
  const [first] = range.getClientRects();
  const title = parseFloat(getComputedStyle(cell, '::before').width);
  return first !== undefined && first.left - cell.getBoundingClientRect().left < title - 1;
}).map((cell) => cell.dataset.title)`;
