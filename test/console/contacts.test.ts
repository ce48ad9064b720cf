/** Contacts in a browser. */
import assert from 'node:assert/strict';
import { useApi } from '../api/use-api.js';
import { until } from '../support/client.js';
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
    await browser.row(xssTexts[1]).waitFor();
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

  it('what is not changed here stays as it is: tags with commas, line breaks, and what a program stored meanwhile', async () => {
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
    await browser.see('The contact is saved.');
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

  it('search and tag are in the address: links and the back button keep them', async () => {
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

  it('a file is imported by the names of its columns; refused rows have reasons and can be downloaded', async () => {
    await create({ phone: '+15550000001', name: 'Known' });
    await browser.open('/contacts/import');
    await browser.choose('Name,City\r\nAda,London\r\n');
    await browser.see(/^No column is named phone or email/);
    await browser.choose('Name,Mobile number,City\r\nAda,+15551234567,London\r\n');
    await browser.page.getByRole('button', { name: 'Import 1 row' }).waitFor();
    const lines = [
      `Full name;Phone number;E-Mail;Tags;City;${xssTexts[2]}`,
      `${xssTexts[0].replaceAll('"', "'")};+15551234567;ada@example.com;vip, ${xssTexts[4]};London;`,
      'Grace;123;;;',
      'Known;+1 555 000 0001;;;',
      `=HYPERLINK(1);+15550000001;;;`,
      'Nobody;;;;Paris',
    ];
    await browser.choose(lines.join('\r\n'), `${xssTexts[1].replaceAll('/', '')}.csv`);
    await browser.page.getByRole('button', { name: 'Import 5 rows' }).waitFor();
    await browser.see('a custom field');
    await browser.assertAccessible();
    await browser.press('Import 5 rows');
    await browser.see('Done: 1 created, 4 refused of 5 rows');
    await browser.row('=HYPERLINK(1)').getByText('Contact with this phone already exists').waitFor();
    await browser.row('Nobody').getByText('Missing required field: phone or email').waitFor();
    await browser.assertAccessible();
    const refused = await browser.download('Download the refused rows');
    assert.match(refused, /^\uFEFFFull name,Phone number,E-Mail,Tags,City,.*,Reason\r\nGrace,123,/);
    assert.match(refused, /"'=HYPERLINK\(1\)",\+15550000001/);
    const [{ phone, email, tags, custom_fields }] = await contacts();
    assert.deepEqual(
      { phone, email, tags, custom_fields },
      { phone: '+15551234567', email: 'ada@example.com', tags: ['vip', xssTexts[4]], custom_fields: { City: 'London' } },
    );
  });

  it('an import goes on after the rate limit, and a stopped one keeps what it created', async () => {
    await browser.open('/contacts/import');
    await browser.choose('phone\r\n+15551234567\r\n+15551234568\r\n+15551234569\r\n');
    let refusals = 1;
    let isStuck = false;
    let release = (): void => undefined;
    await browser.page.route('**/api/v1/contacts', async (route) => {
      const { phone } = route.request().postDataJSON();
      if (phone === '+15551234568' && refusals-- > 0)
        return route.fulfill({ status: 429, json: { success: false, error: 'Too many requests' } });
      if (phone !== '+15551234569') return route.continue();
      isStuck = true;
      await new Promise<void>((go) => (release = go));
      return route.abort();
    });
    await browser.page.clock.install();
    await browser.press('Import 3 rows');
    await until(async () => {
      await browser.page.clock.fastForward(1_000);
      return isStuck;
    }, 'the third row is sent');
    await browser.page.clock.resume();
    await browser.press('Stop the import');
    await browser.see('Stopped: 2 created, 0 refused of 3 rows');
    release();
    assert.equal((await contacts()).length, 2);
  });

  it('a lost answer is asked for again; a lost connection stops the import, which goes on where it was', async () => {
    await browser.open('/contacts/import');
    await browser.choose('phone\r\n+15551234567\r\n+15551234568\r\n+15551234569\r\n');
    let tries = 0;
    await browser.page.route('**/api/v1/contacts', async (route) => {
      const { phone } = route.request().postDataJSON();
      if (phone === '+15551234569') return route.abort();
      if (phone === '+15551234568' && tries++ === 0) {
        await route.fetch();
        return route.abort();
      }
      return route.continue();
    });
    await browser.page.clock.install();
    await browser.press('Import 3 rows');
    await until(async () => {
      await browser.page.clock.fastForward(4_000);
      return (await browser.page.getByText('The service cannot be reached.').count()) > 0;
    }, 'the connection is lost');
    await browser.page.clock.resume();
    await browser.see('Stopped: 1 created, 1 refused of 3 rows');
    await browser.see('Contact with this phone already exists. Perhaps by this row: an earlier answer was lost');
    await browser.assertAccessible();
    const saved = await browser.download('Download the rows that are not imported (2)');
    assert.match(saved, /\+15551234569,Not tried\r\n$/);
    await browser.page.unrouteAll();
    await browser.press('Go on with the rest');
    await browser.see('Done: 2 created, 1 refused of 3 rows');
    assert.equal((await contacts()).length, 3);
  });

  it('an import that runs is left only after a question, and leaves requests to others of the workspace', async () => {
    await browser.open('/contacts/import');
    await browser.choose('phone\r\n+15551234567\r\n+15551234568\r\n+15551234569\r\n');
    let requests = 0;
    await browser.page.route('**/api/v1/contacts', async (route) => {
      requests += 1;
      const answer = await route.fetch();
      const reset = String(Math.ceil(Date.now() / 1000) + 60);
      const limits = { 'x-ratelimit-limit': '100', 'x-ratelimit-remaining': String(42 - requests), 'x-ratelimit-reset': reset };
      await route.fulfill({ response: answer, headers: { ...answer.headers(), ...limits } });
    });
    await browser.page.clock.install();
    await browser.press('Import 3 rows');
    await browser.see('1 created, 0 refused of 3 rows');
    await browser.page.clock.fastForward(50_000);
    assert.equal(requests, 1, 'the second row waits for the next window');
    await browser.page.getByRole('link', { name: 'Overview' }).click();
    await browser.press('Back');
    await browser.page.clock.fastForward(12_000);
    await browser.see('2 created, 0 refused of 3 rows');
    await browser.choose('phone\r\n+15550000000\r\n');
    await browser.see('Stop the import before you choose another file.');
    await browser.page.getByRole('link', { name: 'Overview' }).click();
    await browser.press('Stop and leave');
    await browser.page.getByRole('heading', { name: 'Overview' }).waitFor();
    await browser.page.clock.resume();
    assert.equal(requests, 2);
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

  it('pages follow by cursor', async () => {
    for (let number = 10; number <= 60; number += 1) await create({ phone: `+155512345${number}` });
    await browser.follow('Contacts');
    await browser.see('51 in total');
    await browser.follow('Older');
    await browser.row('+15551234510').waitFor();
    assert.equal(await browser.rowCount(), 1);
    await browser.page.goBack();
    await browser.row('+15551234560').waitFor();
    assert.equal(await browser.rowCount(), 50);
  });
});
