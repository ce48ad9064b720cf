import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readChunks } from '../../clients/typescript/command/bulk-file.js';

describe('the requests of a file', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'tidings-bulk-file-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** The recipients of all requests of a file with this text, their lines, and how many were left out as duplicates. */
  async function requestsOf(text: string | Buffer): Promise<{ found: string[]; lines: number[]; duplicates: number }> {
    const file = join(folder, 'people.csv');
    writeFileSync(file, text);
    const all = { found: [] as string[], lines: [] as number[], duplicates: 0 };
    for await (const chunk of readChunks({ file, columns: new Map(), allowDuplicates: false, body: {}, run: '' })) {
      all.lines.push(...chunk.lines);
      all.found.push(...chunk.recipients.map(({ to }) => to));
      all.duplicates += chunk.duplicates;
    }
    return all;
  }

  it('the requests of a file name an address once, whatever its letter case and the request that has it', async () => {
    const others = Array.from({ length: 10_000 }, (_, index) => `p${index}@example.com`);
    const { found, duplicates } = await requestsOf(`email\nAda@example.com\n${others.join('\n')}\nada@Example.com\n`);
    assert.deepEqual([found, duplicates], [['Ada@example.com', ...others], 1]);
  });

  it('the requests of a file have each row without a recipient, so that the service names all of them', async () => {
    assert.deepEqual(await requestsOf('email,name\n,Ada\nbob@example.com,Bob\n,Grace\n'), {
      found: ['', 'bob@example.com', ''],
      lines: [2, 3, 4],
      duplicates: 0,
    });
  });

  it('the requests of a file have its rows whatever ends each of them, also if the header ends as on Windows', async () => {
    for (const [first, other] of [
      ['\r\n', '\n'],
      ['\n', '\r\n'],
      ['\r', '\r'],
    ]) {
      const { found } = await requestsOf(`to,name${first}+15551230033,Ada${other}+15551230034,"B\r\nob"${first}+15551230035,Eve${other}`);
      assert.deepEqual(found, ['+15551230033', '+15551230034', '+15551230035']);
    }
  });

  it('each recipient has the line on which its row begins, also after cells with several lines', async () => {
    for (const end of ['\r\n', '\n', '\r']) {
      const rows = ['"na', 'me",to', '"A', '', 'da",+15551230033', '', 'Bob,+15551230034', 'Eve,"', '+15551230035"'];
      assert.deepEqual((await requestsOf(rows.join(end))).lines, [3, 7, 8], JSON.stringify(end));
    }
  });

  it('the recipients of a file are in the column `to`, also if another possible column is before it', async () => {
    const { found } = await requestsOf('phone,To\n+15551230033,+15551230034\n');
    assert.deepEqual(found, ['+15551230034']);
  });

  for (const [what, file, error] of [
    ['in Latin-1', Buffer.from('to,name\n+15551230030,Müller\n', 'latin1'), /people\.csv: it is not a CSV file in UTF-8/],
    ['in UTF-16', Buffer.from('to,name\n+15551230030,Ada\n', 'utf16le'), /it is not a CSV file in UTF-8/],
    ['that ends within a letter', Buffer.from('to,name\n+15551230030,é').subarray(0, -1), /it is not a CSV file in UTF-8/],
    ['with two columns of one name', Buffer.from('to,name,name\n+15551230030,Ada,Eve\n'), /two columns have the name name/],
  ] as const) {
    it(`a CSV file ${what} is refused`, async () => {
      await assert.rejects(requestsOf(file), error);
    });
  }

  it('a CSV file may have empty names of columns after the last one', async () => {
    assert.deepEqual((await requestsOf('to,name,,\n+15551230030,Ada,,\n')).found, ['+15551230030']);
  });
});
