/** The form that changes a webhook, in a browser. */
import assert from 'node:assert/strict';
import { useApi } from '../api/use-api.js';
import { buildWebhook } from '../support/rows/factories.js';
import { useConsole } from './use-console.js';

describe('the form of a webhook in the console', function () {
  this.timeout(60_000);
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  const { browser, me } = useConsole(app, { forEachTest: true });
  let id: string;
  beforeEach(async () => {
    ({ id } = (await buildWebhook(me.workspaceId, 'https://example.com/hooks')).row);
  });
  const save = async () => {
    await browser.press('Save');
    await browser.see('The webhook is changed.');
    return (await me.call('GET', `/webhooks/${id}`)).body.data.webhook;
  };

  it('saves a rate that is no whole number', async () => {
    await me.call('PUT', `/webhooks/${id}`, { rate: 2.5 });
    await browser.open(`/webhooks/${id}/edit`);
    await browser.fill('Description (optional)', 'mine');
    assert.equal((await save()).rate, 2.5);
    await browser.open(`/webhooks/${id}/edit`);
    await browser.fill('Rate (optional)', '1.5');
    assert.equal((await save()).rate, 1.5);
  });
});
