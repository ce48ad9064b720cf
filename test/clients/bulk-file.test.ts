import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readChunks } from '../../clients/typescript/command/bulk-file.js';

describe('the requests of a file', () => {
  it('name an address once, whatever its letter case and the request that has it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tidings-bulk-file-'));
    try {
      const file = join(folder, 'people.csv');
      const others = Array.from({ length: 10_000 }, (_, index) => `p${index}@example.com`);
      writeFileSync(file, `email\nAda@example.com\n${others.join('\n')}\nada@Example.com\n`);
      const found: string[] = [];
      let duplicates = 0;
      for await (const chunk of readChunks({ file, columns: new Map(), allowDuplicates: false, body: {}, run: '' })) {
        found.push(...chunk.recipients.map(({ to }) => to));
        duplicates += chunk.duplicates;
      }
      assert.deepEqual([found, duplicates], [['Ada@example.com', ...others], 1]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
