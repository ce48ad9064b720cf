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

  /** The recipients of all requests of a file with this text, and how many were left out as duplicates. */
  async function requestsOf(text: string): Promise<{ found: string[]; duplicates: number }> {
    const file = join(folder, 'people.csv');
    writeFileSync(file, text);
    const all = { found: [] as string[], duplicates: 0 };
    for await (const chunk of readChunks({ file, columns: new Map(), allowDuplicates: false, body: {}, run: '' })) {
      all.found.push(...chunk.recipients.map(({ to }) => to));
      all.duplicates += chunk.duplicates;
    }
    return all;
  }

  it('name an address once, whatever its letter case and the request that has it', async () => {
    const others = Array.from({ length: 10_000 }, (_, index) => `p${index}@example.com`);
    const all = await requestsOf(`email\nAda@example.com\n${others.join('\n')}\nada@Example.com\n`);
    assert.deepEqual(all, { found: ['Ada@example.com', ...others], duplicates: 1 });
  });

  it('have each row without a recipient, so that the service names all of them', async () => {
    assert.deepEqual(await requestsOf('email,name\n,Ada\nbob@example.com,Bob\n,Grace\n'), {
      found: ['', 'bob@example.com', ''],
      duplicates: 0,
    });
  });
});
