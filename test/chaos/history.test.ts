import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newToken, openHistory, readHistory, tokenIn } from './history.js';

describe('a history', () => {
  let folder: string;
  before(() => (folder = mkdtempSync(join(tmpdir(), 'tidings-history-'))));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('a history is read as it was written, with increasing times', async () => {
    const path = join(folder, 'whole.jsonl');
    const history = openHistory(path);
    for (let report = 0; report < 1_000; report += 1) history.append({ type: 'report-answer', report, status: 204 });
    await history.close();
    const records = readHistory(path);
    assert.deepEqual(
      records.map((record) => record.type === 'report-answer' && record.report),
      Array.from({ length: 1_000 }, (_, index) => index),
    );
    assert.ok(records.every(({ at }, index) => index === 0 || at >= (records[index - 1]?.at ?? 0)));
  });

  it('a history is read without its last line if its process died while writing that', async () => {
    const path = join(folder, 'cut.jsonl');
    const history = openHistory(path);
    history.append({ type: 'phase', phase: 'run' });
    await history.close();
    appendFileSync(path, '{"type":"phase","pha');
    assert.equal(readHistory(path).length, 1);
  });

  it('a history reports a file that cannot be written', async () => {
    await assert.rejects(openHistory(join(folder, 'no', 'such', 'folder')).flush(), { code: 'ENOENT' });
  });

  it('the token of a message is found in its text, and null in a text without one', () => {
    const token = newToken(1_000_000, 12_345);
    assert.equal(tokenIn(`Hello Ada, your code is ${token}.`), token);
    assert.equal(tokenIn('Hello Ada'), null);
    assert.notEqual(newToken(1, 12), newToken(11, 2));
  });
});
