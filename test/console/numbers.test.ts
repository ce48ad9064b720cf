/** Numbers in the console, and what it says where there is no number. */
import assert from 'node:assert/strict';
import type { DeliveryStatus } from '../../models/tables/delivery.js';
import { useApi } from '../api/use-api.js';
import { until } from '../support/client.js';
import { rows } from '../support/database.js';
import { inOneDay } from '../support/parts/one-day.js';
import { acceptBatch, buildBatch } from '../support/rows/batches.js';
import { buildDeliveryIn } from '../support/rows/deliveries.js';
import { buildWebhook } from '../support/rows/factories.js';
import { useConsole } from './use-console.js';

/** A canvas cannot be read. */
const recordTexts = `
  window.drawn = [];
  window.cut = [];
  const draw = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, ...place) {
    window.drawn.push(String(text));
    if (this.textAlign === 'right' && x < this.measureText(text).width) window.cut.push(String(text));
    return draw.call(this, text, x, ...place);
  };`;

describe('numbers in the console', () => {
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  const { browser, me } = useConsole(app, { forEachTest: true });
  beforeEach(inOneDay);

  it('a chart writes its numbers as in English in a German browser', async () => {
    const add = `INSERT INTO message_rollups (workspace_id, unit, at, channel, measure, key, count)
      VALUES ($1, 'day', date_trunc('day', now(), 'UTC'), 'sms', 'messages', '', 1234567)`;
    await rows(app.deps.db, add, [me.workspaceId]);
    const storageState = await browser.page.context().storageState();
    const chromium = browser.page.context().browser() ?? assert.fail();
    const context = await chromium.newContext({ locale: 'de-DE', storageState });
    try {
      const page = await context.newPage();
      await page.addInitScript(recordTexts);
      await page.goto(`${app.url}/console`);
      const chart = page.locator('.chart').first();
      await chart.locator('.u-marker').nth(1).waitFor();
      const numbers = async () => ((await page.evaluate('window.drawn')) as string[]).filter((text) => /^\d{3}\D\d{3}$/.test(text));
      await until(async () => (await numbers()).length > 0, 'numbers beside the axis');
      assert.deepEqual(
        (await numbers()).filter((text) => !text.includes(',')),
        [],
      );
      assert.deepEqual(await page.evaluate('window.cut'), []);
      assert.equal(await chart.locator('.u-legend').getByText('1,234,567').count(), 1, 'the sum of the period');
      const { width, height } = (await chart.locator('.u-over').boundingBox()) ?? assert.fail();
      await chart.locator('.u-over').hover({ position: { x: width - 2, y: height / 2 } });
      await chart.getByText('1,234,567', { exact: true }).waitFor();
    } finally {
      await context.close();
    }
  });

  it('a chart of one message has no parts of messages beside its axis', async () => {
    const add = `INSERT INTO message_rollups (workspace_id, unit, at, channel, measure, key, count)
      VALUES ($1, 'day', date_trunc('day', now(), 'UTC'), 'sms', 'messages', '', 1)`;
    await rows(app.deps.db, add, [me.workspaceId]);
    const { page } = browser;
    const recording = await page.addInitScript(recordTexts);
    try {
      await browser.open();
      await page.locator('.chart .u-marker').nth(1).waitFor();
      await browser.until(`window.drawn.includes('1')`);
      assert.deepEqual(await page.evaluate(`window.drawn.filter((text) => text.includes('.'))`), []);
    } finally {
      await recording.dispose();
    }
  });

  it('times have the years of English and its digits in a Persian browser', async () => {
    const storageState = await browser.page.context().storageState();
    const chromium = browser.page.context().browser() ?? assert.fail();
    const context = await chromium.newContext({ locale: 'fa-IR', storageState });
    try {
      const page = await context.newPage();
      await page.goto(`${app.url}/console/billing`);
      assert.match(await page.locator('tbody time').first().innerText(), new RegExp(`${new Date().getFullYear()}`));
    } finally {
      await context.close();
    }
  });

  it('a rate far below one per second is not shown as 0', async () => {
    const { id } = await buildBatch(app.deps.db, me.workspaceId, [2], { rate: 0.000125 });
    await acceptBatch(app.deps.db, id);
    await browser.open(`/batches/${id}`);
    await browser.see('at most 0.000125 per second');
  });

  for (const [status, text] of [
    ['pending', 'None yet.'],
    ['succeeded', 'No attempt was made, or the attempts were deleted.'],
    ['failed', 'No attempt was made, or the attempts were deleted.'],
    ['held', 'No attempt was made, or the attempts were deleted.'],
  ] satisfies [DeliveryStatus, string][]) {
    it(`a ${status} delivery without attempts says: ${text}`, async () => {
      await buildWebhook(me.workspaceId, 'https://example.com/hooks');
      const { id, webhook_id: webhookId } = await buildDeliveryIn(app.deps.db, me.workspaceId, status);
      await browser.open(`/webhooks/${webhookId}/deliveries/${id}`);
      await browser.page.getByText(text, { exact: true }).waitFor();
    });
  }
});
