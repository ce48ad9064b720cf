/** Contacts in a browser: created, changed, found, downloaded. Their import is in import-contacts.test.ts. */
import assert from 'node:assert/strict';
import { xssTexts } from './console-browser.js';
import { holdAnswers } from './hold-answers.js';
import { useContacts } from './use-contacts.js';

describe('contacts in the console', function () {
  const { browser, me, create, contacts } = useContacts();

  it('a contact is created, with faults beside their fields', async () => {
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
    await browser.row(xssTexts[1]).waitFor();
    await browser.assertAccessible();
    const [{ name, phone, email, tags, custom_fields }] = await contacts();
    assert.deepEqual(
      { name, phone, email, tags, custom_fields },
      { name: xssTexts[1], phone: '+15551234567', email: null, tags: ['vip', xssTexts[0]], custom_fields: { city: xssTexts[3] } },
    );
  });

  it('a contact is changed, and deleted after a question', async () => {
    const stored = { name: xssTexts[1], phone: '+15551234567', tags: ['vip', xssTexts[0]], custom_fields: { city: xssTexts[3] } };
    await create(stored);
    await browser.follow('Contacts');
    await browser.follow(xssTexts[1]);
    await browser.assertAccessible();
    await browser.fill('E-mail address', 'ada@example.com');
    await browser.press('Save');
    await browser.see('Contact saved.');
    const [{ name, phone, email, tags, custom_fields }] = await contacts();
    assert.deepEqual({ name, phone, email, tags, custom_fields }, { ...stored, email: 'ada@example.com' });
    await browser.press('Delete');
    await browser.press('Back');
    await browser.press('Delete');
    await browser.see('Delete this contact?');
    await browser.page.goBack();
    await browser.row(xssTexts[1]).waitFor();
    assert.equal(await browser.page.getByRole('dialog').count(), 0, 'another screen answers the question with no');
    assert.equal((await contacts()).length, 1);
    await browser.follow(xssTexts[1]);
    await browser.press('Delete');
    await browser.press('Delete the contact');
    await browser.see('No contacts yet');
    assert.deepEqual(await contacts(), []);
    await browser.page.goBack();
    await browser.see('No contacts yet');
    await browser.until("location.pathname.endsWith('/contacts')");
  });

  it('what is written while a contact is saved stays, and so does the focus', async () => {
    const { id } = await create({ phone: '+15551234567', custom_fields: { size: 's' } });
    const saved = () => browser.page.locator('main form button[aria-disabled=true]').waitFor({ state: 'detached' });
    await browser.open(`/contacts/${id}`);
    await browser.press('Add a custom field');
    await browser.fill('Name of custom field 2', 'city');
    await browser.fill('Value of custom field 2', 'Rome');
    const release = await holdAnswers(browser, `**/contacts/${id}`);
    await browser.press('Save');
    await browser.fill('Name (optional)', 'Ada');
    release();
    await saved();
    assert.equal(await browser.page.getByLabel('Name (optional)').inputValue(), 'Ada');
    await browser.press('Save');
    await saved();
    await browser.until(`document.activeElement.textContent.trim() === 'Save'`);
    const { name, custom_fields } = (await contacts())[0];
    assert.deepEqual([name, custom_fields], ['Ada', { size: 's', city: 'Rome' }]);
    assert.equal(await browser.page.getByLabel(/^Name of custom field/).count(), 2);
  });

  it('a refused custom field is announced, and its text has the focus', async () => {
    await browser.open('/contacts/new');
    await browser.fill('Phone number', '+15551234567');
    await browser.press('Add a custom field');
    await browser.fill('Name of custom field 1', '__proto__');
    await browser.press('Create');
    await browser.page.getByRole('alert').getByText('custom_fields must not have a key __proto__').waitFor({ timeout: 10_000 });
    await browser.until(`document.activeElement.textContent.startsWith('custom_fields must not')`);
    await browser.assertAccessible();
  });

  it('custom fields of programs stay what they are, and one without a name is removed', async () => {
    const { id } = await create({ phone: '+15551234567', custom_fields: { visits: 3, sizes: ['s', 'm'], old: 'gone' } });
    await browser.open(`/contacts/${id}`);
    await browser.fill('Name of custom field 3', '');
    await browser.fill('Name (optional)', 'Ada');
    await browser.press('Save');
    await browser.see('Contact saved.');
    assert.deepEqual((await contacts())[0].custom_fields, { visits: 3, sizes: ['s', 'm'] });
  });

  it('a saved contact keeps what was not changed here: tags with commas, line breaks, what a program stored', async () => {
    const tags = ['a, b', 'c;d', ' "e"', 'vip'];
    const { id } = await create({
      phone: '+15551234567',
      name: 'Ada',
      tags,
      custom_fields: { note: 'two\r\nlines', visits: 3, size: 's' },
    });
    await browser.open(`/contacts/${id}`);
    await browser.page.getByLabel('Name of custom field 3').waitFor();
    await browser.assertAccessible();
    await me.call('PUT', `/contacts/${id}`, { name: 'Ada Lovelace', custom_fields: { note: 'two\r\nlines', visits: 4, size: 's' } });
    const names: string[] = await browser.page.evaluate(`[...document.querySelectorAll('[name=custom_name]')].map(({ value }) => value)`);
    await browser.fill(`Value of custom field ${names.indexOf('size') + 1}`, 'm');
    await browser.press('Save');
    await browser.see('Contact saved.');
    const changed = (await contacts())[0];
    assert.deepEqual(
      [changed.name, changed.tags, changed.custom_fields],
      ['Ada Lovelace', tags, { note: 'two\r\nlines', visits: 4, size: 'm' }],
    );
    const field = browser.page.getByLabel('Tags (optional)');
    await browser.until(`document.querySelector('[name=name]').value === 'Ada Lovelace'`);
    await field.fill(`${await field.inputValue()}, new`);
    await browser.press('Save');
    await browser.until(`document.querySelector('[name=tags]').defaultValue.endsWith(', new')`);
    assert.deepEqual((await contacts())[0].tags, [...tags, 'new']);
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

  it('search and tag of contacts are in the address: links and the back button keep them', async () => {
    await create({ phone: '+15551234567', name: 'Ada', tags: ['vip'] });
    await create({ email: 'grace@example.com', name: 'Grace' });
    await browser.follow('Contacts');
    await browser.row('Grace').waitFor();
    await browser.follow('vip');
    await browser.row('Grace').waitFor({ state: 'detached' });
    await browser.row('Ada').waitFor();
    assert.deepEqual([await browser.rowCount(), new URL(browser.page.url()).search], [1, '?tag=vip']);
    await browser.page.goBack();
    await browser.row('Grace').waitFor();
    await browser.fill('Name, phone number or e-mail address', 'grace@');
    await browser.press('Search');
    await browser.row('Ada').waitFor({ state: 'detached' });
    await browser.page.reload();
    await browser.row('Grace').waitFor();
    assert.equal(await browser.rowCount(), 1);
    await browser.open('/contacts?search=nobody');
    await browser.follow('Show all contacts');
    await browser.row('Ada').waitFor();
  });

  it('all contacts that the filters select are in the downloaded file, which can be imported again', async () => {
    for (let number = 10; number <= 60; number += 1) await create({ phone: `+155512345${number}`, tags: ['vip', 'x'] });
    await create({ email: 'grace@example.com', name: '=1+1', tags: ['vip'], custom_fields: { size: 3 } });
    await create({ email: 'other@example.com' });
    await browser.open('/contacts?tag=vip');
    await browser.row('grace@example.com').waitFor();
    const lines = (await browser.download('Download as CSV')).trim().split('\r\n');
    assert.equal(lines.length, 53);
    assert.match(lines[0] ?? '', /name,phone,email,tags,custom_fields,created_at$/);
    assert.match(lines[1] ?? '', /^"'=1\+1",,grace@example\.com,vip,"{""size"":3}",20/);
    assert.match(lines[2] ?? '', /^,\+15551234560,,"vip, x",,20/);
    await me.call('DELETE', `/contacts/${(await contacts())[1].id}`);
    await browser.open('/contacts/import');
    await browser.choose(lines.slice(0, 2).join('\r\n'));
    await browser.press('Import 1 row');
    await browser.see('Done: 1 created, 0 refused of 1 row');
    assert.deepEqual((await contacts())[0].custom_fields, { size: 3 });
  });

  it('pages of contacts follow by cursor', async () => {
    const { id } = await create({ phone: '+15551234510' });
    for (let number = 11; number <= 60; number += 1) await create({ phone: `+155512345${number}` });
    await browser.follow('Contacts');
    await browser.see('51 in total');
    await browser.follow('Older');
    await browser.row('+15551234510').waitFor();
    await browser.page.goBack();
    await browser.row('+15551234560').waitFor();
    await me.call('DELETE', `/contacts/${id}`);
    await browser.page.goForward();
    await browser.see('No row is left on this page.');
  });
});
