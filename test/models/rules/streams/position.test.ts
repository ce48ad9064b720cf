import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  positionAfter,
  formatPosition,
  newestSnapshot,
  parsePosition,
  type Position,
  progressAt,
} from '../../../../models/rules/streams/position.js';

const snapshot = fc
  .record({
    xmin: fc.integer({ min: 1, max: 2 ** 40 }),
    span: fc.integer({ min: 0, max: 500 }),
    running: fc.uniqueArray(fc.integer({ min: 0, max: 499 }), { maxLength: 20 }),
  })
  .map(({ xmin, span, running }) => {
    const ids = running.filter((each) => each < span).toSorted((one, other) => one - other);
    return `${xmin}:${xmin + span}:${ids.map((each) => xmin + each).join(',')}`;
  });
const plain = { noNullPrototype: true };
const position: fc.Arbitrary<Position> = fc.record(
  {
    at: fc.date({ min: new Date(1), max: new Date('2100-01-01'), noInvalidDate: true }),
    seen: snapshot,
    reading: fc.option(fc.record({ until: snapshot, seq: fc.integer({ min: 0, max: 2 ** 50 }) }, plain)),
  },
  plain,
);

describe('positions in a stream', () => {
  it('positions in a stream survive formatting and parsing', () => {
    fc.assert(fc.property(position, (given) => assert.deepEqual(parsePosition(formatPosition(given)), given)));
  });

  it('positions in a stream have ids that fit a header and a query as they are', () => {
    fc.assert(fc.property(position, (given) => assert.match(formatPosition(given), /^[0-9a-z.-]{1,400}$/)));
  });

  it('a position is null for a snapshot that PostgreSQL would refuse, and for any other text', () => {
    for (const text of [
      '',
      '1',
      '1.',
      '1.5',
      '1.0-0',
      '1.5-1-1',
      '1.5-4-2-1',
      '1.5-4-1-1',
      '1.5-1.5-1',
      '1.5-1.5-1.',
      '1.5-1.5-1.1.1',
      'A.5-1',
      '1.5--1',
    ])
      assert.equal(parsePosition(text), null, text);
    fc.assert(
      fc.property(fc.string(), (text) => {
        const read = parsePosition(text);
        assert.ok(read === null || formatPosition(read) === text);
      }),
    );
  });
});

describe('the progress through a stream', () => {
  const at = new Date(1);
  const between: Position = { at, seen: '1:5:', reading: { until: '2:9:', seq: 7 } };
  const resting: Position = { at, seen: '1:5:', reading: null };

  it('a stream goes on towards the later snapshot of its position, or rests at the only one', () => {
    assert.deepEqual([newestSnapshot(between), newestSnapshot(resting)], ['2:9:', '1:5:']);
    assert.deepEqual(progressAt(between), { position: between, goal: { at, seen: '2:9:', reading: null } });
    assert.deepEqual(progressAt(resting), { position: resting, goal: resting });
  });

  it('each event has the position that the stream has reached', () => {
    assert.deepEqual(positionAfter(progressAt(between), 8), { at, seen: '1:5:', reading: { until: '2:9:', seq: 8 } });
  });
});
