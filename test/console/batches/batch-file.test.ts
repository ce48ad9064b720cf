/** The CSV file of a batch in a browser: what can be read of it, its columns, and another file in its place. */
import assert from 'node:assert/strict';
import { useApi } from '../../api/use-api.js';
import { useConsole } from '../use-console.js';
import { csv, numbered, phone } from './batch-form.js';

describe('the file of a batch in the console', () => {
  const { browser } = useConsole(useApi({ env: { TRUSTED_PROXIES: '127.0.0.1' } }), { forEachTest: true });

  it('a column that is not chosen is named before any row, and the service gets no request', async () => {
    let previews = 0;
    await browser.page.route('**/messages/preview', (route) => {
      previews += 1;
      return route.continue();
    });
    await browser.open('/batches/new');
    await browser.choose(csv('colour;size', 'red;1', 'blue;2'));
    await browser.fill('Text', 'Hello {{ name }}, {{ size | any size }}');
    await browser.press('Preview');
    await browser.see('Choose the column with the recipients');
    await browser.see('No column fills in {{ name }}: choose one, or give it a fallback');
    await browser.assertAccessible();
    assert.equal(previews, 0);
    await browser.page.getByLabel('Recipients are in').selectOption({ label: 'colour: red' });
    await browser.page.getByLabel('{{ name }} is in').selectOption({ label: 'colour: red' });
    await browser.press('Preview');
    await browser.see('No row can be sent.');
    assert.equal(await browser.page.getByText('Phone number must be in E.164 format').count(), 2);
    assert.equal(previews, 1);
  });

  it('a file that cannot be read without loss is refused, with what to do', async () => {
    await browser.open('/batches/new');
    const refused: readonly (readonly [string | Buffer, string | RegExp])[] = [
      [Buffer.from('to,name\n+15551234567,Zoë', 'latin1'), 'The file is not a CSV file in UTF-8.'],
      [csv('+15551234567,Ada', '+15551234568,Bob'), 'The first row must be the header row, but contains "+15551234567".'],
      [csv('to,name', '+15551234567,"Ada'), 'The quotation marks in row 2 do not match.'],
      ['to,name\n\n,\n', 'The file has no rows below its header row.'],
      [Buffer.from('to,name\n+15551234567,Ada', 'utf16le'), 'The file is not a CSV file in UTF-8.'],
      ['', 'The first row is empty.'],
      [csv('to', ...numbered(10_001, phone)), 'The file has more than 10,000 rows.'],
    ];
    for (const [content, text] of refused) {
      await browser.choose(content);
      await browser.see(text);
      assert.equal(await browser.page.getByLabel('Text', { exact: true }).count(), 0);
    }
    await browser.assertAccessible();
  });

  it('10,000 rows of a dropped file are checked at once, and fifty of them are drawn', async () => {
    await browser.open('/batches/new');
    const file = JSON.stringify(csv('to,name', ...numbered(10_000, (index) => `${phone(index)},Person ${index}`)));
    await browser.page.getByLabel('CSV file').waitFor();
    await browser.page.evaluate(`{
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([${file}], 'dropped.csv', { type: 'text/csv' }));
      document.querySelector('.drop').dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    }`);
    await browser.see(': 10,000 rows, 2 columns');
    await browser.fill('Text', 'Hello {{ name }}');
    await browser.press('Preview');
    await browser.see('1 to 50 of 10,000');
    assert.equal(await browser.rowCount(), 50);
    await browser.press('Next');
    await browser.see('Hello Person 50');
    assert.equal(await browser.rowCount(), 50);
    await browser.press('Previous');
    await browser.see('Hello Person 49');
  });

  it('the text of a batch stays when another file is chosen, and its columns are found by their names', async () => {
    await browser.open('/batches/new');
    await browser.choose(csv('to,name,city', `${phone(1)},Ada,Paris`), 'first.csv');
    await browser.fill('Text', 'Hello {{ who }} and {{ name }}');
    await browser.page.getByLabel('{{ who }} is in').selectOption({ label: 'city: Paris' });
    await browser.choose('', 'empty.csv');
    await browser.see('The first row is empty.');
    await browser.see('first.csv');
    await browser.choose(csv('city,to,name', `Rome,${phone(2)},Bob`), 'second.csv');
    await browser.see('second.csv');
    assert.equal(await browser.page.getByText('The first row is empty.').count(), 0);
    await browser.press('Preview');
    await browser.see('Hello Rome and Bob');
  });

  it('the file that was chosen last is shown, also when the one before it takes longer to read', async () => {
    await browser.open('/batches/new');
    await browser.page.getByLabel('CSV file').waitFor();
    await browser.page.evaluate(`{
      const read = Blob.prototype.arrayBuffer;
      Blob.prototype.arrayBuffer = async function () {
        if (this.name === 'slow.csv') await new Promise((resolve) => { window.goOn = resolve; });
        return read.call(this);
      };
    }`);
    await browser.choose(csv('to', phone(1)), 'slow.csv');
    await browser.choose(csv('to', phone(2)), 'fast.csv');
    await browser.see('fast.csv');
    await browser.page.evaluate('goOn(); new Promise((resolve) => setTimeout(resolve))');
    assert.equal(await browser.page.getByText('slow.csv').count(), 0);
  });
});
