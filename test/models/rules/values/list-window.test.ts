import assert from 'node:assert/strict';
import { isPlace, type ListWindow, mapRows, readWindow } from '../../../../models/rules/values/list-window.js';

describe('readWindow', () => {
  /** @param remembered the number of rows some time ago */
  const read = async (window: ListWindow, size: number, remembered?: number) => {
    const all = Array.from({ length: size }, (_, index) => index);
    let counts = 0;
    const listed = await readWindow(window, {
      count: () => Promise.resolve((counts += 1) && size),
      counting: remembered === undefined ? undefined : () => Promise.resolve({ total: remembered, isFresh: false }),
      find: ({ after, limit, offset }) => {
        const from = after === null ? offset : Number(after[0]) + 1;
        return Promise.resolve(all.slice(from, from + limit));
      },
      placeOf: (row) => [String(row)],
    });
    return { ...listed, counts };
  };

  for (const [title, window, size, expected] of [
    ['a first page that is not full, without a count', { page: 1, limit: 3 }, 2, { rows: [0, 1], total: 2, next: null, counts: 0 }],
    [
      'a first page that is the whole list, without a count',
      { page: 1, limit: 3 },
      3,
      { rows: [0, 1, 2], total: 3, next: null, counts: 0 },
    ],
    ['no rows, without a count', { page: 1, limit: 3 }, 0, { rows: [], total: 0, next: null, counts: 0 }],
    ['a first page that goes on', { page: 1, limit: 3 }, 4, { rows: [0, 1, 2], total: 4, next: ['2'], counts: 1 }],
    ['a later page', { page: 2, limit: 3 }, 4, { rows: [3], total: 4, next: null, counts: 1 }],
    ['a page behind the end', { page: 3, limit: 3 }, 4, { rows: [], total: 4, next: null, counts: 1 }],
    ['what follows a place, without a count', { after: ['0'], limit: 2 }, 4, { rows: [1, 2], total: null, next: ['2'], counts: 0 }],
  ] as [string, ListWindow, number, object][]) {
    it(`a list reads ${title}`, async () => assert.deepEqual(await read(window, size), expected));
  }

  it('rows that were added since the rows were counted are reached by page', async () => {
    const counts = 0;
    assert.deepEqual(await read({ page: 2, limit: 2 }, 5, 4), { rows: [2, 3], total: 5, next: ['3'], counts });
    assert.deepEqual(await read({ page: 3, limit: 2 }, 5, 4), { rows: [4], total: 5, next: null, counts });
    assert.deepEqual(await read({ page: 4, limit: 2 }, 5, 4), { rows: [], total: 4, next: null, counts });
    assert.deepEqual(await read({ page: 2, limit: 2 }, 3, 4), { rows: [2], total: 4, next: null, counts });
  });
});

describe('mapRows', () => {
  it('each row of a list is converted, and the rest of the list stays', () => {
    assert.deepEqual(
      mapRows({ rows: [1, 2], total: 5, next: ['2'] }, (row) => `row ${row}`),
      { rows: ['row 1', 'row 2'], total: 5, next: ['2'] },
    );
  });
});

describe('a place in a list', () => {
  const id = '0190a5a8-0000-7000-8000-000000000001';
  it('a place in a list has a text of its form for each sort column', () => {
    assert.ok(isPlace(['1767225600000000', id], ['micros', 'id']));
    assert.ok(isPlace(['-'], ['entry']) && isPlace(['12'], ['entry']) && isPlace(['12'], ['number']));
    for (const parts of [
      [],
      ['5'],
      ['5', id, '6'],
      [id, '5'],
      ['5', `${id}0`],
      ['5', `x${id}`],
      ['5', id.toUpperCase()],
      ['', id],
      ['-', id],
    ])
      assert.equal(isPlace(parts, ['micros', 'id']), false, parts.join());
    for (const text of ['-', '1e3', ' 1', '1 ', '1'.repeat(16)]) assert.equal(isPlace([text], ['number']), false, text);
    for (const text of ['--', '1-', '-1', '1'.repeat(16)]) assert.equal(isPlace([text], ['entry']), false, text);
    assert.equal(isPlace(['1'.repeat(17)], ['micros']), false);
  });
});
