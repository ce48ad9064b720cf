/** Changes of a webhook, in a browser. */
import assert from 'node:assert/strict';
import { useApi } from '../api/use-api.js';
import { buildWebhook } from '../support/rows/factories.js';
import { useConsole } from './use-console.js';

describe('changes of a webhook in the console', () => {
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  const { browser, me } = useConsole(app, { forEachTest: true });
  let id: string;
  beforeEach(async () => {
    ({ id } = (await buildWebhook(me.workspaceId, 'https://example.com/hooks')).row);
  });
  const save = async () => {
    await browser.press('Save');
    await browser.see('Webhook changed.');
    return (await me.call('GET', `/webhooks/${id}`)).body.data.webhook;
  };

  it('the form of a webhook keeps what it cannot show: no retries, and the lines of a description', async () => {
    await me.call('PUT', `/webhooks/${id}`, { retry_delays: [], description: 'one\ntwo' });
    await browser.open(`/webhooks/${id}/edit`);
    await browser.page.getByRole('checkbox', { name: /^message\.failed/ }).uncheck();
    const { retry_delays, description, events } = await save();
    assert.deepEqual([retry_delays, description, events.includes('message.failed')], [[], 'one\ntwo', false]);
    await browser.open(`/webhooks/${id}/edit`);
    await browser.fill('Retry delays (optional)', '5, 60');
    assert.deepEqual((await save()).retry_delays, [5, 60]);
    await browser.open(`/webhooks/${id}/edit`);
    await browser.fill('Retry delays (optional)', '');
    assert.equal((await save()).retry_delays, null);
  });

  it('events and order that a program changed meanwhile stay when the description is saved', async () => {
    await browser.open(`/webhooks/${id}/edit`);
    await browser.fill('Description (optional)', 'mine');
    await me.call('PUT', `/webhooks/${id}`, { events: ['message.failed'], ordered: true });
    const { description, events, ordered } = await save();
    assert.deepEqual([description, events, ordered], ['mine', ['message.failed'], true]);
  });

  it('the form of a webhook in the console saves a rate that is no whole number', async () => {
    await me.call('PUT', `/webhooks/${id}`, { rate: 2.5 });
    await browser.open(`/webhooks/${id}/edit`);
    await browser.fill('Description (optional)', 'mine');
    assert.equal((await save()).rate, 2.5);
    await browser.open(`/webhooks/${id}/edit`);
    await browser.fill('Rate (optional)', '1.5');
    assert.equal((await save()).rate, 1.5);
  });

  it('a new secret is left only after it is stored, and a lost answer says that it may have been rotated', async () => {
    const rotate = async () => {
      await browser.press('Rotate the secret');
      await browser.page.getByRole('dialog').getByRole('button', { name: 'Rotate the secret' }).click();
    };
    await browser.open(`/webhooks/${id}`);
    await browser.page.route('**/rotate-secret', (route) => route.abort(), { times: 1 });
    await rotate();
    await browser.see(/The secret may have been rotated/);
    await rotate();
    await browser.see(/^whsec_/);
    const delivery = { id, status: 'failed', attempts: [] };
    await browser.page.route(`**/${id}/test`, (route) => route.fulfill({ json: { success: true, data: { delivery } } }));
    await browser.press('Send a test event');
    await browser.see(/^The test event was sent/);
    await browser.page.getByRole('link', { name: 'Change', exact: true }).click();
    await browser.press('Back');
    await browser.press('I have stored the secret');
    await browser.follow('Change');
    await browser.page.getByRole('heading', { name: 'Change the webhook' }).waitFor();
  });
});
