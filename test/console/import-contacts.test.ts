/** The import of contacts in a browser: from the file to the contacts, and what can go wrong on the way. */
import assert from 'node:assert/strict';
import type { Route } from 'playwright-core';
import { until } from '../support/client.js';
import { xssTexts } from './console-browser.js';
import { useContacts } from './use-contacts.js';

describe('the import of contacts in the console', function () {
  const { browser, create, contacts } = useContacts();

  /** Presses a button, and lets the time of the page pass quickly until something has happened. */
  const pressAndHurry = async (button: string, isDone: () => boolean | Promise<boolean>, what: string) => {
    await browser.page.clock.install();
    await browser.press(button);
    await until(async () => {
      await browser.page.clock.fastForward(4_000);
      return isDone();
    }, what);
    await browser.page.clock.resume();
  };
  const isShown = async (text: string) => (await browser.page.getByText(text).count()) > 0;

  it('a file is imported by the names of its columns, and refused rows have reasons and can be downloaded', async () => {
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

  it('columns that the console writes itself are not imported, and columns with similar names are', async () => {
    await browser.open('/contacts/import');
    await browser.see(/Columns named id, created_at, updated_at and reason are not imported/);
    await browser.choose('phone,ID,created_at,updated_at,Reason,id2,Reason code\r\n+15551234567,a,b,c,d,e,f\r\n');
    await browser.press('Import 1 row');
    await browser.see('Done: 1 created, 0 refused of 1 row');
    assert.deepEqual((await contacts())[0].custom_fields, { id2: 'e', 'Reason code': 'f' });
  });

  it('a row that is too large is refused, and does not stop the rows after it', async () => {
    await browser.open('/contacts/import');
    await browser.choose(`phone,note\r\n+15551234567,${'x'.repeat(120_000)}\r\n+15551234568,short\r\n`);
    await browser.press('Import 2 rows');
    await browser.see('Done: 1 created, 1 refused of 2 rows');
    assert.equal((await contacts())[0].phone, '+15551234568');
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
    await pressAndHurry('Import 3 rows', () => isStuck, 'the third row is sent');
    await browser.press('Stop the import');
    await browser.see('Stopped: 2 created, 0 refused of 3 rows');
    release();
    assert.equal((await contacts()).length, 2);
  });

  it('a lost answer of an import is asked for again', async () => {
    await browser.open('/contacts/import');
    await browser.choose('phone\r\n+15551234567\r\n');
    const losesAnswer = async (route: Route) => {
      await route.fetch();
      await route.abort();
    };
    await browser.page.route('**/api/v1/contacts', losesAnswer, { times: 1 });
    await pressAndHurry('Import 1 row', () => isShown('Done: 0 created, 1 refused of 1 row'), 'it is asked for again');
    await browser.see('Contact with this phone already exists. Perhaps by this row: an earlier response was lost');
    assert.equal((await contacts()).length, 1);
  });

  it('a lost connection stops an import, which continues where it was', async () => {
    await create({ phone: '+15551234568' });
    await browser.open('/contacts/import');
    await browser.choose('phone\r\n+15551234567\r\n+15551234568\r\n+15551234569\r\n');
    await browser.page.route('**/api/v1/contacts', (route) =>
      route.request().postDataJSON().phone === '+15551234569' ? route.abort() : route.continue(),
    );
    await pressAndHurry('Import 3 rows', () => isShown('The service cannot be reached.'), 'the connection is lost');
    await browser.see('Stopped: 1 created, 1 refused of 3 rows');
    await browser.assertAccessible();
    const saved = await browser.download('Download the rows that are not imported (2)');
    assert.match(saved, /\+15551234569,Not tried\r\n$/);
    await browser.page.unrouteAll();
    await browser.press('Continue with the rest');
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
    await browser.press('Log out');
    await browser.see('Stop the import?');
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

  it('an import that runs is left by the back button only after a question, and then leads where it would have', async () => {
    await browser.follow('Contacts');
    await browser.follow('Import');
    await browser.choose('phone\r\n+15551234567\r\n+15551234568\r\n+15551234569\r\n');
    const released = new Map<string, () => void>();
    await browser.page.route('**/api/v1/contacts', async (route) => {
      await new Promise<void>((go) => released.set(route.request().postDataJSON().phone, go));
      await route.continue().catch(() => undefined); // it was given up
    });
    const release = async (phone: string) => {
      await until(async () => released.has(phone), `${phone} is sent`);
      released.get(phone)?.();
    };
    await browser.press('Import 3 rows');
    await browser.page.goBack();
    await browser.press('Back');
    await browser.until("location.pathname.endsWith('/contacts/import')");
    await browser.page.evaluate("location.hash = 'main'");
    await release('+15551234567');
    await browser.see('1 created, 0 refused of 3 rows');
    assert.equal(await browser.page.getByRole('dialog').count(), 0, 'a place in the screen is no other screen');
    await browser.page.goBack();
    await browser.page.goBack();
    const givenUp = browser.page.waitForEvent('requestfailed', (request) => request.method() === 'POST');
    await browser.press('Stop and leave');
    await givenUp;
    await browser.page.getByRole('heading', { name: 'Contacts', exact: true }).waitFor();
    await browser.until("location.pathname.endsWith('/contacts')");
    await release('+15551234568');
    await browser.page.unrouteAll({ behavior: 'ignoreErrors' });
    await browser.page.goBack();
    await browser.page.getByRole('heading', { name: 'Overview' }).waitFor();
    assert.equal((await contacts()).length, 1);
  });
});
