/** API keys in a browser. */
import assert from 'node:assert/strict';
import { ApiKey } from '../../models/tables/api-key.js';
import { useApi } from '../api/use-api.js';
import { xssTexts } from './console-browser.js';
import { holdAnswers } from './hold-answers.js';
import { useConsole } from './use-console.js';

describe('API keys in the console', () => {
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1', MAX_API_KEYS: '2' } });
  const { browser, me } = useConsole(app, { forEachTest: true });
  beforeEach(() => browser.follow('API keys'));

  const statusWith = async (key: string) => (await app.call('GET', '/api/v1/messages', { key })).status;
  async function create(name: string): Promise<string> {
    await browser.follow('Create an API key');
    await browser.fill('Name', name);
    await browser.press('Create');
    const key = await browser.page.getByRole('region', { name: 'the API key', exact: true }).innerText();
    await browser.press('I have stored the key');
    await browser.page.getByRole('heading', { name: 'API keys' }).waitFor();
    return key;
  }

  it('a key is shown once, works, and is refused once it is revoked', async () => {
    const key = await create(xssTexts[1]);
    assert.equal(await statusWith(key), 200);
    await browser.row(xssTexts[1]).waitFor();
    assert.equal(await browser.page.getByText(key).count(), 0);
    await browser.assertAccessible();
    await browser.page.getByRole('button', { name: /^Revoke / }).click();
    await browser.press('Revoke the key');
    await browser.row(xssTexts[1]).getByText('inactive').waitFor();
    assert.equal(await statusWith(key), 401);
  });

  it('a new key has the scopes, channels and end that were chosen, and faults are beside their fields', async () => {
    await browser.follow('Create an API key');
    await browser.fill('Name', 'reader');
    for (const scope of ['send_messages', 'manage_contacts', 'manage_webhooks', 'sms', 'whatsapp'])
      await browser.page.getByRole('checkbox', { name: new RegExp(`^${scope}`) }).uncheck();
    await browser.fill('Allowed addresses (optional)', 'nowhere');
    await browser.press('Create');
    await browser.see(/allowed_addresses/);
    await browser.assertAccessible();
    await browser.fill('Allowed addresses (optional)', '127.0.0.1, 10.0.0.0/8');
    await browser.fill('Expires at (optional)', '2099-01-01T00:00');
    await browser.press('Create');
    await browser.see(/^tidings_/);
    const { body } = await me.call('GET', '/api-keys');
    const [{ scopes, channels, allowed_addresses, expires_at }] = body.data.api_keys;
    assert.deepEqual([scopes, channels, allowed_addresses.length], [['read_messages'], ['email'], 2]);
    assert.match(expires_at, /^20(98-12-31|99-01-01)T/);
    await browser.press('I have stored the key');
    const lines = browser.row('reader').getByRole('listitem');
    await lines.first().waitFor();
    assert.deepEqual(await lines.allInnerTexts(), ['read_messages', 'only email', 'only from 127.0.0.1/32, 10.0.0.0/8']);
    await browser.assertAccessible();
  });

  it('a rotation shows the new key, and both work for a day', async () => {
    const key = await create('program');
    await browser.press(/^Rotate program/);
    await browser.see(/^"program" \(\S+\) gets a new value, and the current one works for 24 more hours\.$/);
    await browser.press('Rotate the key');
    const rotated = await browser.page.getByRole('region', { name: 'the new key of program' }).innerText();
    assert.notEqual(rotated, key);
    assert.deepEqual([await statusWith(key), await statusWith(rotated)], [200, 200]);
  });

  it('a rotation says until when a key works that ends sooner than in a day, and an expired key offers none', async () => {
    const issue = (name: string, hours: number) => {
      const expires_at = new Date(Date.now() + hours * 3_600_000);
      return ApiKey.issue(app.deps.config.secretKey, { workspace_id: me.workspaceId, name, scopes: ['read_messages'], expires_at });
    };
    await issue('late', -1);
    await issue('soon', 2);
    await browser.open('/keys');
    await browser.row('late').getByText('expired').waitFor();
    await browser.page.getByRole('button', { name: /^Revoke late / }).waitFor();
    assert.equal(await browser.page.getByRole('button', { name: /^Rotate late / }).count(), 0);
    await browser.press(/^Rotate soon /);
    await browser.see(/^"soon" \(\S+\) gets a new value, and the current one works until \w+ \d+, \d{4}, [\d:]+/);
  });

  it('a new key is left only after a question, and a lost answer says that it may have been created', async () => {
    const leave = () => browser.page.getByRole('link', { name: 'Messages', exact: true }).click();
    const fillIn = async () => {
      await browser.follow('Create an API key');
      await browser.fill('Name', 'orders');
    };
    await fillIn();
    await browser.page.route('**/api/v1/api-keys', (route) => route.abort());
    await browser.press('Create');
    await browser.see('The key may have been created. Look at the list before you try again.');
    await browser.page.unroute('**/api/v1/api-keys');
    let release = await holdAnswers(browser, '**/api/v1/api-keys');
    await browser.press('Create');
    await leave();
    await browser.press('Back');
    release();
    await browser.see(/^tidings_/);
    await browser.page.goBack();
    await browser.press('Back');
    await browser.see(/^tidings_/);
    await leave();
    await browser.press('Leave without it');
    await browser.page.getByRole('heading', { name: 'Messages' }).waitFor();
    await browser.follow('API keys');
    await fillIn();
    release = await holdAnswers(browser, '**/api/v1/api-keys');
    await browser.press('Create');
    await leave();
    await browser.press('Leave without it');
    await browser.page.getByRole('heading', { name: 'Messages' }).waitFor();
    await browser.page.clock.install();
    release();
    const missed = browser.page.getByText(/^Key created\. Its value cannot be displayed any more/);
    await missed.waitFor();
    await browser.page.clock.runFor(60_000);
    assert.equal(await missed.count(), 1, 'it is not said again');
  });

  it('a new API key beyond the quota is refused, and the form says so', async () => {
    await create('one');
    await create('two');
    await browser.follow('Create an API key');
    await browser.fill('Name', 'three');
    await browser.press('Create');
    await browser.see('A workspace can have at most 2 API keys');
  });
});

describe('many API keys in the console', () => {
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  const { browser, me } = useConsole(app, { forEachTest: true });

  it('new keys of rotations stay until they are stored, also when the former ones move to the next page', async () => {
    for (let number = 1; number <= 50; number += 1) {
      const wanted = { workspace_id: me.workspaceId, name: `program ${number}`, scopes: ['read_messages' as const] };
      await ApiKey.issue(app.deps.config.secretKey, wanted);
    }
    await browser.open('/keys');
    await browser.press(/^Rotate program 1 /);
    await browser.press('Rotate the key');
    await browser.see('51 in total');
    await browser.press(/^Rotate program 2 /);
    await browser.press('Rotate the key');
    await browser.page.getByRole('region', { name: 'the new key of program 2' }).waitFor();
    await browser.follow('Older');
    const rotated = await browser.page.getByRole('region', { name: 'the new key of program 1' }).innerText();
    assert.equal((await app.call('GET', '/api/v1/messages', { key: rotated })).status, 200);
    await browser.press('I have stored the keys');
    assert.equal(await browser.page.getByText(rotated).count(), 0);
  });

  it('a new key that is awaited is left only after a question, also when another rotation is refused meanwhile', async () => {
    const ids: string[] = [];
    for (const name of ['slow', 'refused']) {
      const wanted = { workspace_id: me.workspaceId, name, scopes: ['read_messages' as const] };
      ids.push((await ApiKey.issue(app.deps.config.secretKey, wanted)).row.id);
    }
    const release = await holdAnswers(browser, `**/${ids[0]}/rotate`);
    await browser.page.route(`**/${ids[1]}/rotate`, (route) => route.fulfill({ status: 409, json: { success: false, error: 'Refused' } }));
    await browser.open('/keys');
    for (const name of ['slow', 'refused']) {
      await browser.press(new RegExp(`^Rotate ${name} `));
      await browser.press('Rotate the key');
    }
    await browser.see('Refused');
    await browser.page.getByRole('link', { name: 'Messages', exact: true }).click();
    await browser.press('Back');
    release();
    await browser.page.getByRole('region', { name: 'the new key of slow' }).waitFor();
  });
});
