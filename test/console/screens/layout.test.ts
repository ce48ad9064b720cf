/** How screens of the console use the room that they have: on a laptop, on a small one and on a phone. */
import assert from 'node:assert/strict';
import { rows } from '../../support/database.js';
import { buildAcceptedBatch } from '../../support/rows/batches.js';
import { buildQueued, buildWebhook } from '../../support/rows/factories.js';
import { useApi } from '../../api/use-api.js';
import { useConsole } from '../use-console.js';

const name = 'n'.repeat(255);

describe('the layout of the console', () => {
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  const { browser, me } = useConsole(app);
  let message: string;
  let contact: string;
  let webhook: string;
  let batch: string;
  before(async () => {
    const { db } = app.deps;
    batch = (await buildAcceptedBatch(db, me.workspaceId, [1])).id;
    message = (await buildQueued(db, me.workspaceId, { to: '+155512345678901', reference: 'order-1' })).id;
    webhook = (await buildWebhook(me.workspaceId, `https://hooks.example.com/${'path/'.repeat(50)}`)).row.id;
    contact = (await me.call('POST', '/contacts', { name, phone: '+15551234567' })).body.data.contact.id;
  });
  const size = (width: number, height: number) => browser.page.setViewportSize({ width, height });
  const number = async (expression: string): Promise<number> => Number(await browser.page.evaluate(expression));
  const heightOf = (selector: string) => number(`document.querySelector('${selector}').getBoundingClientRect().height`);
  const topOf = async (role: 'button' | 'heading', text: string) =>
    (await browser.page.getByRole(role, { name: text, exact: true }).boundingBox())?.y ?? assert.fail(text);

  it('a page that fits into the window does not scroll by a pixel', async () => {
    await size(1_440, 900);
    for (const [path, text] of [
      ['/messages', 'order-1'],
      ['/suppressions', 'No suppressions yet'],
      ['/contacts', name],
    ] as const) {
      await browser.open(path);
      await browser.see(text);
      assert.equal(await number('document.documentElement.scrollHeight'), 900, path);
    }
  });

  it('a list that is scrolled by a touch of the wheel still shows new messages', async () => {
    await size(1_280, 300);
    await browser.open('/messages');
    await browser.see(/^Live$/);
    await browser.page.evaluate('scrollTo(0, 5)');
    const body = { to: '+15551234567', channel: 'sms', content: { text: 'Hello' }, reference: 'order-2' };
    const { key } = (await me.call('POST', '/api-keys', { name: 'sender' })).body.data;
    assert.equal((await app.call('POST', '/api/v1/messages/send', { key, body })).status, 201);
    await browser.row('order-2').waitFor();
  });

  it('times, numbers and statuses of messages are in one line, and the list does not scroll sideways, at 1024 pixels', async () => {
    await size(1_024, 768);
    await browser.open('/messages');
    await browser.row('+155512345678901').waitFor();
    assert.ok((await heightOf('tbody tr')) < 45);
    assert.equal(await number(`(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.table'))`), 0);
  });

  for (const [path, selector, whole] of [
    ['/contacts', '[title^=nnn]', name],
    ['/webhooks', '[title*="path/path"]', `https://hooks.example.com/${'path/'.repeat(50)}`],
  ] as const) {
    it(`a long value in ${path} takes at most three lines, and hovering shows all of it`, async () => {
      for (const [width, max] of [
        [1_024, 100],
        [360, 160],
      ] as const) {
        await size(width, 768);
        await browser.open(path);
        await browser.page.locator(selector).waitFor();
        assert.ok((await heightOf('tbody tr')) < max, `${width} px: ${await heightOf('tbody tr')}`);
        assert.equal(await browser.page.locator(selector).getAttribute('title'), whole);
      }
    });
  }

  it('the bar and the navigation stay in sight while a page is scrolled, except in a low window', async () => {
    for (const [height, isInSight] of [
      [600, true],
      [400, false],
    ] as const) {
      await size(1_280, height);
      await browser.open('/settings');
      await browser.see('Close the account');
      await browser.page.evaluate('scrollTo(0, 10_000)');
      assert.ok((await number('scrollY')) > 500);
      for (const element of [browser.page.getByRole('button', { name: 'Log out' }), browser.page.getByRole('link', { name: 'Overview' })]) {
        const { y } = (await element.boundingBox()) ?? assert.fail();
        assert.equal(y >= 0, isInSight, `${height} px: ${y}`);
      }
    }
  });

  it('the head of a phone is one line with the name of the workspace, and leaves the rest for the screen', async () => {
    await size(375, 812);
    await browser.open('/messages');
    await browser.see(/^Live$/);
    assert.ok((await heightOf('.bar')) < 60);
    assert.equal(await browser.page.getByTitle(me.email).isVisible(), true);
    assert.ok((await topOf('heading', 'Messages')) < 115);
  });

  it('the overview breaks no number in two, also when the balance is above a million credits', async () => {
    await rows(app.deps.db, 'UPDATE workspaces SET balance = 1234567891 WHERE id = $1', [me.workspaceId]);
    for (const width of [360, 768, 1_201]) {
      await size(width, 800);
      await browser.open();
      await browser.page.locator('.figure').getByText('1,234,567.891 credits').waitFor();
      assert.deepEqual(await browser.page.evaluate(brokenNumbers), [], `${width} px`);
    }
  });

  it('fields and buttons of filters have one height, and dates are not cut', async () => {
    for (const width of [1_440, 1_024]) {
      await size(width, 768);
      await browser.open('/messages');
      await browser.see('order-1');
      const heights = `new Set([...document.querySelectorAll('.filters :is(input, select, button)')].map(({ offsetHeight }) => offsetHeight)).size`;
      assert.equal(await number(heights), 1, `${width} px`);
      assert.ok((await heightOf('.filters label')) < 30, `${width} px`);
      assert.ok((await number(`document.querySelector('[type=datetime-local]').offsetWidth`)) >= 200, `${width} px`);
    }
  });

  it('the preview is above the button that sends on a phone', async () => {
    await size(375, 812);
    await browser.open('/send');
    const [preview, button] = [await topOf('heading', 'Preview'), await topOf('button', 'Send')];
    assert.ok(preview < button, `${preview} < ${button}`);
  });

  it('the title of a page says which message, contact, batch or webhook it shows', async () => {
    for (const [path, title] of [
      [`/messages/${message}`, /^\+155512345678901 – Message – Tidings console$/],
      [`/contacts/${contact}`, /^n{255} – Contact – Tidings console$/],
      [`/batches/${batch}`, /^\w+ \d+, \d{4}, .* – Batch – Tidings console$/],
      [`/webhooks/${webhook}`, /^hooks\.example\.com – Webhook – Tidings console$/],
      [`/webhooks/${webhook}/edit`, /^hooks\.example\.com – Change the webhook – Tidings console$/],
    ] as const) {
      await browser.open(path);
      await browser.until(`${title.toString()}.test(document.title)`);
    }
  });

  it('a tap beside the link of a row follows it on a touch screen, and a click with a mouse does not', async () => {
    await size(1_280, 800);
    await browser.open('/messages');
    await browser.row('order-1').getByText('queued').click();
    assert.equal(new URL(browser.page.url()).pathname, '/console/messages');
    const storageState = await browser.page.context().storageState();
    const touch = await browser.page
      .context()
      .browser()
      ?.newContext({ hasTouch: true, isMobile: true, viewport: { width: 375, height: 812 }, storageState });
    assert.ok(touch !== undefined);
    try {
      const page = await touch.newPage();
      await page.goto(`${app.url}/console/messages`);
      await page.getByRole('row').filter({ hasText: '+155512345678901' }).getByText('queued').tap();
      await page.waitForURL(`**/messages/${message}`);
    } finally {
      await touch.close();
    }
  });
});

/** The figures whose first word is in more than one line. */
const brokenNumbers = `[...document.querySelectorAll('.figure .value')].map(({ firstChild }) => firstChild).filter((text) => {
  const range = document.createRange();
  range.setStart(text, 0);
  range.setEnd(text, text.data.search(/ |$/));
  return range.getClientRects().length > 1;
}).map(({ data }) => data)`;
