/** Contacts in a browser. */
import assert from 'node:assert/strict';
import { useApi } from '../api/use-api.js';
import { xssTexts } from './console-browser.js';
import { useConsole } from './use-console.js';

describe('contacts in the console', function () {
  this.timeout(60_000);
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  const { browser, me } = useConsole(app, { forEachTest: true });

  const create = async (contact: object) => {
    const { status, body } = await me.call('POST', '/contacts', contact);
    assert.equal(status, 201, JSON.stringify(body));
    return body.data.contact;
  };
  const contacts = async () => (await me.call('GET', '/contacts')).body.data.contacts;
  const row = (text: string) => browser.page.getByRole('row').filter({ hasText: text });
  const rowCount = () => browser.page.locator('tbody tr').count();

  it('one is created, with faults beside their fields, then changed, and deleted after a question', async () => {
    await browser.follow('Contacts');
    await browser.follow('Create the first one');
    await browser.press('Create');
    await browser.see('Missing required field: phone or email');
    await browser.fill('Phone number', '123');
    await browser.press('Create');
    await browser.until('document.querySelector("[name=phone]").getAttribute("aria-invalid") === "true"');
    await browser.assertAccessible();
    await browser.fill('Name (optional)', xssTexts[1]);
    await browser.fill('Phone number', '+15551234567');
    await browser.fill('Tags (optional)', `vip, ${xssTexts[0]}`);
    await browser.press('Add a custom field');
    await browser.fill('Name of custom field 1', 'city');
    await browser.fill('Value of custom field 1', xssTexts[3]);
    await browser.press('Create');
    await row(xssTexts[1]).waitFor();
    await browser.assertAccessible();
    await browser.follow(xssTexts[1]);
    await browser.assertAccessible();
    await browser.fill('E-mail address', 'ada@example.com');
    await browser.press('Save');
    await browser.see('The contact is saved.');
    const [{ name, phone, email, tags, custom_fields }] = await contacts();
    assert.deepEqual(
      { name, phone, email, tags, custom_fields },
      {
        name: xssTexts[1],
        phone: '+15551234567',
        email: 'ada@example.com',
        tags: ['vip', xssTexts[0]],
        custom_fields: { city: xssTexts[3] },
      },
    );
    await browser.press('Delete');
    await browser.press('Back');
    assert.equal((await contacts()).length, 1);
    await browser.press('Delete');
    await browser.press('Delete the contact');
    await browser.see('No contacts yet');
    assert.deepEqual(await contacts(), []);
  });

  it('values of programs stay what they are, and a field without a name is removed', async () => {
    const { id } = await create({ phone: '+15551234567', custom_fields: { visits: 3, sizes: ['s', 'm'], old: 'gone' } });
    await browser.open(`/contacts/${id}`);
    await browser.fill('Name of custom field 3', '');
    await browser.fill('Name (optional)', 'Ada');
    await browser.press('Save');
    await browser.see('The contact is saved.');
    assert.deepEqual((await contacts())[0].custom_fields, { visits: 3, sizes: ['s', 'm'] });
  });

  it('a phone number that another contact has is refused beside its field, and changes nothing', async () => {
    await create({ phone: '+15551234567' });
    const { id } = await create({ phone: '+15557654321', name: 'Grace' });
    await browser.open(`/contacts/${id}`);
    await browser.fill('Phone number', '+15551234567');
    await browser.press('Save');
    await browser.see('Contact with this phone already exists');
    await browser.until('document.querySelector("[name=phone]").getAttribute("aria-invalid") === "true"');
    assert.equal((await contacts())[0].phone, '+15557654321');
  });

  it('search and tag are in the address: links and the back button keep them', async () => {
    await create({ phone: '+15551234567', name: 'Ada', tags: ['vip'] });
    await create({ email: 'grace@example.com', name: 'Grace' });
    await browser.follow('Contacts');
    await row('Grace').waitFor();
    await browser.follow('vip');
    await row('Grace').waitFor({ state: 'detached' });
    await row('Ada').waitFor();
    assert.deepEqual([await rowCount(), new URL(browser.page.url()).search], [1, '?tag=vip']);
    await browser.page.goBack();
    await row('Grace').waitFor();
    await browser.fill('Name, phone number or e-mail address', 'grace@');
    await browser.press('Search');
    await row('Ada').waitFor({ state: 'detached' });
    await browser.page.reload();
    await row('Grace').waitFor();
    assert.equal(await rowCount(), 1);
    await browser.open('/contacts?search=nobody');
    await browser.follow('Show all contacts');
    await row('Ada').waitFor();
  });

  it('pages follow by cursor', async () => {
    for (let number = 10; number <= 60; number += 1) await create({ phone: `+155512345${number}` });
    await browser.follow('Contacts');
    await browser.see('51 in total');
    await browser.follow('Older');
    await row('+15551234510').waitFor();
    assert.equal(await rowCount(), 1);
    await browser.page.goBack();
    await row('+15551234560').waitFor();
    assert.equal(await rowCount(), 50);
  });
});
