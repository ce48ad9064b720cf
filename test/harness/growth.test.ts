import assert from 'node:assert/strict';
import { textOf } from '../../harness/measure/figures.js';
import { growthLines, type Size, sizeLine } from '../../harness/measure/growth.js';

const kilobyte = 1 / 1024;

/** A run of 1,000 messages whose worker has so much memory at each tenth; a message leaves 3 and 2 KB. */
const run = (workerMb: (tenth: number) => number): Size[] =>
  Array.from({ length: 11 }, (_, tenth) => ({
    messages: tenth * 100,
    seconds: tenth * 4,
    events_received: tenth * 300,
    rss_mb: { API: 160, worker: workerMb(tenth), Temporal: 300, PostgreSQL: 100 },
    database_mb: 9 + tenth * 300 * kilobyte,
    temporal_files_mb: 5 + tenth * 200 * kilobyte,
  }));

const verdicts = (sizes: Size[]) => growthLines(sizes).map((line) => textOf(line)[0]);

describe('growth in a long run', () => {
  it('growth is judged from the second tenth of a run on: what warms up does not count', () => {
    assert.deepEqual(verdicts(run((tenth) => (tenth < 2 ? 200 : 300))), ['✓', '✓', '✓', '✓', ' ']);
  });

  it('growth is reported where memory leaks', () => {
    assert.deepEqual(verdicts(run((tenth) => 200 + 10 * tenth)), ['✓', '✗', '✓', '✓', ' ']);
    assert.deepEqual(verdicts(run(() => 500)), ['✓', '✓', '✓', '✗', ' ']);
  });

  it('the report of a long run has what a message leaves on the disk, and the rate of each tenth', () => {
    const sizes = run(() => 300);
    assert.match(textOf(growthLines(sizes).at(-1) ?? ''), /database 3\.0, Temporal 2\.0/);
    assert.equal(sizeLine(sizes.slice(0, 4)).split(/ +/)[3], '25');
  });
});
