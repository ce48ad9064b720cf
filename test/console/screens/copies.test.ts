/** Copies of messages, lost answers and late ones, in a browser. */
import assert from 'node:assert/strict';
import type { Json } from '../../support/client.js';
import { holdAnswers, loseAnswers } from '../hold-answers.js';
import { useMessages } from '../use-messages.js';

describe('a copy of a message in the console', () => {
  const { app, browser, send } = useMessages();

  /** The contents of all messages, newest first. */
  const contents = async (): Promise<Json[]> => {
    const answer = await browser.page.context().request.get(`${app.url}/api/v1/messages`);
    const { data } = (await answer.json()) as Json;
    return data.messages.map(({ content }: Json) => content);
  };
  const pressSend = async () => {
    await browser.press('Send');
    await browser.page.getByRole('heading', { name: 'Timeline' }).waitFor();
  };

  it('the price of a copy is shown before anything is written', async () => {
    const { id } = await send({ content: { text: 'x'.repeat(200) } });
    await browser.open(`/send?copy=${id}`);
    await browser.page.getByRole('complementary').getByText('2 credits').waitFor();
    await browser.until('document.querySelector("aside").getAttribute("aria-busy") === "false"');
    await browser.fill('Text', 'Hello');
    assert.equal(await browser.page.getByRole('complementary').getAttribute('aria-busy'), 'true');
    await browser.page.getByRole('complementary').getByText('1 credit', { exact: true }).waitFor();
  });

  it('a copy has the template of the first message, as long as its sender does not leave it out', async () => {
    const template = { name: 'order_update', language: 'en_US', variables: { 1: 'Ada' } };
    const { id } = await send({ channel: 'whatsapp', content: { text: 'Hello', template } });
    await browser.open(`/send?copy=${id}`);
    await browser.page.getByLabel('Send the template order_update (en_US) instead of the text').waitFor();
    await browser.assertAccessible();
    await pressSend();
    assert.deepEqual((await contents())[0]?.template, template);
    await browser.open(`/send?copy=${id}`);
    await browser.page.getByLabel('Send the template order_update (en_US) instead of the text').uncheck();
    await pressSend();
    assert.deepEqual((await contents())[0], { text: 'Hello' });
    await browser.open(`/send?copy=${id}`);
    await browser.page.getByLabel('Channel', { exact: true }).selectOption('sms');
    assert.equal(await browser.page.getByLabel(/^Send the template/).count(), 0);
    await pressSend();
    assert.deepEqual((await contents())[0], { text: 'Hello' });
  });

  it('a copy of an e-mail has the link of unsubscription that the first one has', async () => {
    const { id } = await send({ to: 'ada@example.com', channel: 'email', content: { subject: 'News', text: 'Hello', unsubscribe: true } });
    await browser.open(`/send?copy=${id}`);
    await browser.page.getByLabel('Text', { exact: true }).waitFor();
    await pressSend();
    assert.deepEqual(
      (await contents()).map(({ unsubscribe }) => unsubscribe),
      [true, true],
    );
  });

  it('messages whose answers are lost are each sent once, also when another one is tried in between', async () => {
    await browser.open('/send?to=%2B15551234567');
    await loseAnswers(browser, '**/messages/send');
    const press = async (text: string) => {
      await browser.fill('Text', text);
      await browser.press('Send');
      await browser.page.locator('main form button[aria-disabled=true]').waitFor({ state: 'detached' });
      await browser.see('It is not known whether the message was accepted.');
    };
    await press('First');
    await press('Second');
    await browser.page.unroute('**/messages/send');
    await browser.fill('Text', 'First');
    await pressSend();
    assert.deepEqual(
      (await contents()).map(({ text }) => text),
      ['Second', 'First'],
    );
  });

  for (const [status, body] of [
    [503, 'null'],
    [200, 'null'],
    [502, '{"error":{"code":502,"message":"Bad Gateway"},"details":"none","hints":[{}]}'],
  ] as const) {
    it(`a message whose answer is replaced by a proxy with ${status} and ${body} is sent once`, async () => {
      await browser.open('/send?to=%2B15551234567');
      await browser.fill('Text', 'Hello');
      await browser.page.route('**/messages/send', async (route) => {
        await route.fetch();
        await route.fulfill({ status, contentType: 'application/json', body });
      });
      await browser.press('Send');
      await browser.see('It is not known whether the message was accepted.');
      await browser.see(status === 200 ? 'The service cannot be reached.' : `Something went wrong (status ${status})`);
      await browser.page.unroute('**/messages/send');
      await pressSend();
      assert.equal((await contents()).length, 1);
    });
  }

  it('a scheduled message whose answer was lost is sent once although its time has passed', async () => {
    await browser.open('/send?to=%2B15551234567');
    await browser.fill('Text', 'Hello');
    const later = new Date(Date.now() + 7 * 86_400_000);
    await browser.fill('Send at (optional)', `${later.toISOString().slice(0, 10)}T10:00`);
    await loseAnswers(browser, '**/messages/send');
    await browser.press('Send');
    await browser.see('It is not known whether the message was accepted.');
    await browser.page.unroute('**/messages/send');
    await browser.page.evaluate(`Date.now = () => ${later.getTime() + 2 * 86_400_000}`);
    await pressSend();
    assert.equal((await contents()).length, 1);
  });

  it('a message that the user has left is not read again when its cancel is answered', async () => {
    const { id } = await send({ scheduled_at: new Date(Date.now() + 3_600_000).toISOString() });
    await browser.open(`/messages/${id}`);
    await browser.press('Cancel');
    const release = await holdAnswers(browser, '**/cancel');
    const asked = browser.page.waitForRequest('**/cancel');
    await browser.press('Cancel the message');
    await asked;
    await browser.follow('Suppressions');
    await browser.see('No suppressions yet');
    let reads = 0;
    browser.page.on('request', (request) => (reads += request.url().includes(`/messages/${id}`) ? 1 : 0));
    const balance = browser.page.waitForResponse('**/api/v1/workspace');
    release();
    await browser.see(/Its credits are refunded\.$/);
    await (await balance).finished();
    await browser.page.evaluate('new Promise((resolve) => setTimeout(resolve))');
    assert.equal(reads, 0);
  });
});
