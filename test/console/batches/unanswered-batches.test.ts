/** Batches whose answers are lost, in a browser: each is sent once, whatever happens before it is sent again. */
import assert from 'node:assert/strict';
import { useApi } from '../../api/use-api.js';
import { until } from '../../support/client.js';
import { rows } from '../../support/database.js';
import { holdAnswers, loseAnswers } from '../hold-answers.js';
import { logInAs, useConsole } from '../use-console.js';
import { batchShown, csv, phone, preview } from './batch-form.js';

describe('a batch without an answer in the console', () => {
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1', SIGNUP_CREDITS: '1000' } });
  const { browser, me } = useConsole(app, { forEachTest: true });

  const batches = async (): Promise<number> =>
    (await rows(app.deps.db, 'SELECT id FROM batches WHERE workspace_id = $1', [me.workspaceId])).length;
  const refuse = (status: number, error: string, code: string) =>
    browser.page.route('**/messages/bulk', (route) => route.fulfill({ status, json: { success: false, error, code } }));
  const answerAgain = () => browser.page.unroute('**/messages/bulk');
  const sendAndLose = async () => {
    await preview(browser, csv('to', phone(1)), 'Hello');
    await loseAnswers(browser, '**/messages/bulk');
    await browser.press('Send 1 message for 1 credit');
    await browser.see('It is not known whether the batch was accepted.');
    await answerAgain();
  };
  const sendSameContent = async () => {
    await preview(browser, csv('to', phone(1)), 'Hello');
    await browser.press('Send 1 message for 1 credit');
  };

  it('a batch without an answer is sent once although a new one with its content was refused in between', async () => {
    await sendAndLose();
    await sendSameContent();
    await refuse(429, 'Too many requests', 'rate_limited');
    await browser.press('A new batch: send it as well');
    await browser.see('Too many requests');
    await answerAgain();
    await browser.press('The same batch: send it once');
    await batchShown(browser);
    await browser.see('The batch had been accepted before. Nothing was sent again.');
    assert.equal(await batches(), 1);
  });

  it('a batch and a new one with its content, both without answers, are each sent once', async () => {
    await preview(browser, csv('to', phone(1)), 'Hello');
    await browser.page.route('**/messages/bulk', (route) => route.abort());
    await browser.press('Send 1 message for 1 credit');
    await browser.see('It is not known whether the batch was accepted.');
    await answerAgain();
    await sendSameContent();
    await loseAnswers(browser, '**/messages/bulk');
    await browser.press('A new batch: send it as well');
    await browser.see('The service cannot be reached.');
    assert.equal(await batches(), 1);
    await browser.press('The same batch: send it once');
    await until(async () => (await batches()) === 2, 'the batch before it');
    await browser.page.locator('main form button[aria-disabled=true]').first().waitFor({ state: 'detached' });
    await answerAgain();
    await browser.press('A new batch: send it as well');
    await batchShown(browser);
    assert.equal(await batches(), 2);
  });

  it('a scheduled batch without an answer is sent once although its time has passed', async () => {
    const later = new Date(Date.now() + 7 * 86_400_000);
    const send = async () => {
      await browser.open('/batches/new');
      await browser.choose(csv('to', phone(1)));
      await browser.fill('Text', 'Hello');
      await browser.fill('Send at (optional)', `${later.toISOString().slice(0, 10)}T10:00`);
      await browser.press('Preview');
      await browser.press(/^Send 1 message for 1 credit/);
    };
    await loseAnswers(browser, '**/messages/bulk');
    await send();
    await browser.see('It is not known whether the batch was accepted.');
    await answerAgain();
    await send();
    await browser.page.getByRole('button', { name: 'The same batch: send it once' }).waitFor();
    await browser.page.evaluate(`Date.now = () => ${later.getTime() + 2 * 86_400_000}`);
    await browser.press('The same batch: send it once');
    await batchShown(browser);
    assert.equal(await batches(), 1);
  });

  it('an answer that ends in the middle counts as none, and the batch is sent once', async () => {
    await preview(browser, csv('to', phone(1)), 'Hello');
    await browser.page.route('**/messages/bulk', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).slice(0, 20) });
    });
    await browser.press('Send 1 message for 1 credit');
    await browser.see('The service cannot be reached.');
    await browser.see('It is not known whether the batch was accepted.');
    await answerAgain();
    await browser.press('Send 1 message for 1 credit');
    await batchShown(browser);
    assert.equal(await batches(), 1);
  });

  const loggedOut = () => browser.page.getByRole('heading', { name: 'Log in' }).waitFor();
  // A click of playwright would wait for a page that is gone.
  const askForBilling = 'document.querySelector("a[href$=billing]")?.click()';
  /** This tab finds out that the session has ended, or another one does and tells it. */
  const endSession = async (place: 'at another screen' | 'in another tab') => {
    const tab = place === 'in another tab' ? await browser.page.context().newPage() : browser.page;
    if (tab !== browser.page) await tab.goto(`${app.url}/console`);
    await tab.getByTitle(me.email).waitFor();
    await me.call('POST', '/auth/logout-all');
    await tab.evaluate(askForBilling);
    await loggedOut();
    if (tab !== browser.page) await tab.close();
  };
  for (const place of ['at another screen', 'in another tab'] as const) {
    it(`a batch without an answer is sent once although the session ended ${place} in between`, async () => {
      await sendAndLose();
      await browser.follow('API keys');
      await browser.page.getByRole('heading', { name: 'API keys' }).waitFor();
      await endSession(place);
      await logInAs(browser, me.email);
      await browser.follow('Batches');
      await browser.follow('Create a batch');
      await browser.choose(csv('to', phone(1)));
      await browser.fill('Text', 'Hello');
      await browser.press('Preview');
      await browser.press('Send 1 message for 1 credit');
      await browser.press('The same batch: send it once');
      await batchShown(browser);
      assert.equal(await batches(), 1);
    });
  }

  it('a batch whose answer comes after the end of its session is sent once', async () => {
    await preview(browser, csv('to', phone(1)), 'Hello');
    const release = await holdAnswers(browser, '**/messages/bulk');
    await browser.press('Send 1 message for 1 credit');
    await until(async () => (await batches()) === 1, 'the batch is accepted');
    await endSession('at another screen');
    const answered = browser.page.waitForResponse('**/messages/bulk');
    release();
    await answered;
    await answerAgain();
    await browser.page.evaluate(`fetch('/live').then(({ status }) => status)`); // takes the way of the answer
    await logInAs(browser, me.email);
    await sendSameContent();
    await browser.press('The same batch: send it once');
    await batchShown(browser);
    assert.equal(await batches(), 1);
  });

  it('a batch that the end of the session refuses leaves no question', async () => {
    await preview(browser, csv('to', phone(1)), 'Hello');
    // Sooner, the end of the stream could log out before the button is pressed.
    await browser.page.route('**/messages/bulk', async (route) => {
      await me.call('POST', '/auth/logout-all');
      await route.continue();
    });
    await browser.press('Send 1 message for 1 credit');
    await loggedOut();
    await answerAgain();
    assert.deepEqual(await browser.page.evaluate('Object.keys(localStorage)'), []);
    await logInAs(browser, me.email);
    await browser.until('document.querySelector("textarea")?.value === "Hello"');
    await browser.press('Preview');
    await browser.press('Send 1 message for 1 credit');
    await batchShown(browser);
    assert.equal(await batches(), 1);
  });
});
