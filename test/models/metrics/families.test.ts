import assert from 'node:assert/strict';
import { mergePages } from '../../../models/metrics/families.js';

const page = (part: string) => `# HELP a_total what
# TYPE a_total counter
a_total{part="${part}"} 1

# HELP b_seconds how long
# TYPE b_seconds histogram
b_seconds_bucket{part="${part}",le="+Inf"} 2
b_seconds_sum{part="${part}"} 3
b_seconds_count{part="${part}"} 2
`;

describe('pages of metrics that are put together', () => {
  it('pages that are put together have one head for each family, and the values of all pages below it', () => {
    const lines = mergePages([page('one'), page('two')], false).split('\n');
    assert.deepEqual(lines.slice(0, 4), [
      '# HELP a_total what',
      '# TYPE a_total counter',
      'a_total{part="one"} 1',
      'a_total{part="two"} 1',
    ]);
    assert.equal(lines.filter((line) => line.startsWith('# TYPE')).length, 2);
    assert.equal(lines.filter((line) => line.startsWith('b_seconds')).length, 6);
  });
  it('the heads of counters in OpenMetrics lack _total', () => {
    const text = mergePages([page('one')], true);
    assert.match(text, /^# HELP a what\n# TYPE a counter\na_total\{part="one"\} 1\n/);
    assert.match(text, /# TYPE b_seconds histogram/);
  });
  it('a page that is not one of metrics gives nothing', () => {
    assert.equal(mergePages(['', '<html>'], false), '');
  });
});
