/** CSV files in a browser: what the console saves can be chosen again, with the same values and the same refusals. */
import assert from 'node:assert/strict';
import { useContacts } from './use-contacts.js';

describe('CSV files of the console', () => {
  const { browser, me, create, contacts } = useContacts();

  const cells = () => browser.page.locator('tbody td').allInnerTexts();

  it('an imported row that was too long is refused again as it was saved, and accepted when it is corrected', async () => {
    await browser.open('/contacts/import');
    await browser.choose('name,phone,city\r\nLovelace, Ada,+15551234567,London\r\nGrace,+15551234568,Paris,,\r\n');
    await browser.press('Import 2 rows');
    await browser.see('Done: 1 created, 1 refused of 2 rows');
    const saved = await browser.download('Download the refused rows');
    assert.match(saved, /^\uFEFFname,phone,city,Reason\r\nLovelace,Ada,\+15551234567,London,The row has more cells/);
    await browser.choose(saved);
    await browser.press('Import 1 row');
    await browser.see('Done: 0 created, 1 refused of 1 row');
    await browser.see('The row has more cells than there are columns');
    await browser.choose(saved.replace('Lovelace,Ada,', '"Lovelace, Ada",'));
    await browser.press('Import 1 row');
    await browser.see('Done: 1 created, 0 refused of 1 row');
    const [{ name, phone, custom_fields }] = await contacts();
    assert.deepEqual([name, phone, custom_fields], ['Lovelace, Ada', '+15551234567', { city: 'London' }]);
  });

  it('an apostrophe against formulas is taken off again: exported contacts are imported as they were', async () => {
    const given = [
      { name: '=1+1', phone: '+15551234567', tags: ['-vip', "'=x"], custom_fields: { '=a': '=b', '@c': "'@d" } },
      { name: "'=1+1", phone: '+15551234568', tags: ['@vip'], custom_fields: { a: "'" } },
      { name: "''-x", phone: '+15551234569', tags: [], custom_fields: {} },
      { name: "'+15551234567", phone: '+15551234570', tags: ["'quoted'", 'a, b', 'c;"d"', '"e"'], custom_fields: {} },
    ];
    const ids: string[] = [];
    for (const contact of given) ids.push((await create(contact)).id);
    await browser.open('/contacts');
    const saved = await browser.download('Download as CSV');
    for (const id of ids) await me.call('DELETE', `/contacts/${id}`);
    await browser.open('/contacts/import');
    await browser.choose(saved);
    await browser.press('Import 4 rows');
    await browser.see('Done: 4 created, 0 refused of 4 rows');
    const known = (await contacts()).map(({ name, phone, tags, custom_fields }: (typeof given)[number]) => ({
      name,
      phone,
      tags,
      custom_fields,
    }));
    assert.deepEqual(known, given);
  });

  it('invalid rows of a batch are refused with the same cells when they are chosen again', async () => {
    await browser.open('/batches/new');
    await browser.choose("to,name\r\n=1+1,@Ada\r\n-2,'=Bob\r\n+15551234567,Ada,London\r\n");
    await browser.fill('Text', 'Hello {{ name }}');
    await browser.press('Preview');
    await browser.see('No row can be sent.');
    const shown = await cells();
    const saved = await browser.download('Download the invalid rows (3)');
    assert.match(saved, /\r\n"'=1\+1","'@Ada",2,/);
    assert.match(saved, /\r\n"'-2","'=Bob",3,/);
    await browser.choose(saved);
    await browser.see(': 3 rows, 4 columns');
    await browser.fill('Text', 'Hello {{ name }}');
    await browser.press('Preview');
    await browser.see('No row can be sent.');
    assert.deepEqual(
      (await cells()).map((cell) => cell.replace('more than 4 cells', 'more than 2 cells')),
      shown,
    );
  });

  it('columns with unusual names keep their values apart, and a name that the API refuses is shown', async () => {
    await browser.open('/contacts/import');
    await browser.choose('phone,Constructor,__proto__,city (2),city,city,city\r\n+15551234567,a,,c,d,e,f\r\n+15551234568,,b,,,,\r\n');
    await browser.press('Import 2 rows');
    await browser.see('Done: 1 created, 1 refused of 2 rows');
    await browser.see('custom_fields must not have a key __proto__');
    const [{ custom_fields }] = await contacts();
    assert.deepEqual(custom_fields, { Constructor: 'a', 'city (2)': 'c', city: 'd', 'city (3)': 'e', 'city (4)': 'f' });
  });

  it('each column of a batch has a placeholder of its own', async () => {
    await browser.open('/batches/new');
    await browser.choose('to,Price €,Price $,Price,Price_2\r\n+15551234567,1,2,3,4\r\n');
    await browser.see(': 1 row, 5 columns');
    const names = await browser.page.getByRole('button', { name: /^\{\{/ }).allInnerTexts();
    assert.deepEqual(names, ['{{ to }}', '{{ Price_3 }}', '{{ Price_4 }}', '{{ Price }}', '{{ Price_2 }}']);
    for (const name of names) await browser.press(name);
    await browser.press('Preview');
    await browser.see('+155512345671234');
  });

  it('a file of two columns keeps them when its texts have semicolons and its last line ends', async () => {
    await browser.open('/contacts/import');
    await browser.choose('phone,note\r\n+15551234567,red; green; blue\r\n+15551234568,one; two; three\r\n');
    await browser.press('Import 2 rows');
    await browser.see('Done: 2 created, 0 refused of 2 rows');
    const notes = (await contacts()).map(({ custom_fields }: { custom_fields: { note: string } }) => custom_fields.note);
    assert.deepEqual(notes.toSorted(), ['one; two; three', 'red; green; blue']);
  });

  it('a file whose rows end in different ways is imported row by row', async () => {
    await browser.open('/contacts/import');
    await browser.choose('phone,note\r\n+15551234567,"one\ntwo"\n+15551234568,three\r\n+15551234569,four\n');
    await browser.press('Import 3 rows');
    await browser.see('Done: 3 created, 0 refused of 3 rows');
    const notes = (await contacts()).map(({ custom_fields }: { custom_fields: { note: string } }) => custom_fields.note);
    assert.deepEqual(notes.toSorted(), ['four', 'one\ntwo', 'three']);
  });

  it('a column can have a date as its name, and a phone number in the first row is refused', async () => {
    await browser.open('/contacts/import');
    await browser.choose('phone,1-555-123-4567\r\n+15551234567,x\r\n');
    await browser.see(/^The first row must be the header row, but contains "1-555-123-4567"/);
    await browser.choose('phone,2026-11-21,21.11.2026\r\n+15551234567,x,y\r\n');
    await browser.press('Import 1 row');
    await browser.see('Done: 1 created, 0 refused of 1 row');
    assert.deepEqual((await contacts())[0].custom_fields, { '2026-11-21': 'x', '21.11.2026': 'y' });
  });
});
