import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root, textOf } from './project.js';

/** The table is the last part of the document. */
const tableLines = (textOf('docs/security.md').split('## OWASP ASVS')[1] ?? '').split('\n').filter((line) => /^\| \d/.test(line));
const rowForm = /^\| (\d[^|]*) \| (met|n\/a|open) \| (.*) \|$/;
const testForm = /`([a-z]+\/[a-z0-9/-]+)`/g;

interface Row {
  section: string;
  state: string;
  why: string;
}

const testsIn = ({ why }: Row) => [...why.matchAll(testForm)].map(([, name]) => String(name));
const documentsIn = ({ why }: Row) => [...why.matchAll(/\]\(([a-z/-]+\.md)(?:#[a-z-]+)?\)/g)].map(([, name]) => String(name));
/** What a row says beside the names of tests. */
const wordsIn = ({ why }: Row) => why.replaceAll(testForm, '').match(/\p{L}{2,}/gu) ?? [];

/** What a row fails to show; null if it shows enough. */
function faultOf(row: Row): string | null {
  const isShown = testsIn(row).length + documentsIn(row).length > 0;
  if (row.state === 'met') return isShown ? null : `${row.section}: met, but no test and no document shows it`;
  return wordsIn(row).length >= 2 ? null : `${row.section}: ${row.state} without a reason`;
}

describe('docs/security.md', () => {
  const rows = tableLines.flatMap((line) => {
    const [, section, state, why = ''] = rowForm.exec(line) ?? [];
    return section === undefined || state === undefined ? [] : [{ section, state, why }];
  });

  it('docs/security.md judges every chapter of the standard', () => {
    const chapters = new Set(rows.map(({ section }) => Number(/^\d+/.exec(section)?.[0])));
    assert.deepEqual(
      [...chapters],
      Array.from({ length: 17 }, (_, index) => index + 1),
    );
  });

  it('docs/security.md has a state and a reason in every row', () => {
    assert.deepEqual(
      tableLines.filter((line) => !rowForm.test(line)),
      [],
    );
  });

  it('docs/security.md names a test or a document for what is met, and a reason for what is not', () => {
    assert.deepEqual(
      rows.map(faultOf).filter((fault) => fault !== null),
      [],
    );
  });

  for (const [row, fault] of [
    [{ section: '1.1 A', state: 'met', why: 'it is safe' }, '1.1 A: met, but no test and no document shows it'],
    [{ section: '1.1 A', state: 'met', why: 'it is safe: `api/http/errors`' }, null],
    [{ section: '1.1 A', state: 'met', why: '[accounts.md](accounts.md)' }, null],
    [{ section: '1.1 A', state: 'n/a', why: '–' }, '1.1 A: n/a without a reason'],
    [{ section: '1.1 A', state: 'open', why: '`api/http/errors`' }, '1.1 A: open without a reason'],
    [{ section: '1.1 A', state: 'n/a', why: 'not offered' }, null],
  ] as const) {
    it(`a row of docs/security.md that is ${row.state} ${fault === null ? 'may' : 'must not'} say "${row.why}"`, () =>
      assert.equal(faultOf(row), fault));
  }

  it('docs/security.md names tests and documents that exist', () => {
    const tests = rows.flatMap(testsIn);
    assert.ok(tests.length > 40);
    const named = [...tests.map((name) => `test/${name}.test.ts`), ...rows.flatMap(documentsIn).map((name) => `docs/${name}`)];
    assert.deepEqual(
      named.filter((name) => !existsSync(join(root, name))),
      [],
    );
  });
});
