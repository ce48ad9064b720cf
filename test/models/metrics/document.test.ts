import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { declared } from '../../../models/metrics/catalogue.js';
import { metricsTable } from '../../../models/metrics/document.js';

describe('docs/observability/metrics.md', () => {
  it('docs/observability/metrics.md lists the declared metrics: npm run generate writes them', () => {
    const page = readFileSync(resolve(import.meta.dirname, '../../../../docs/observability/metrics.md'), 'utf8');
    const table = /<!-- metrics:.*?-->\n([^]*?)\n<!-- end of metrics -->/.exec(page)?.[1];
    assert.equal(table, metricsTable(declared));
  });
  it('every metric has a base unit, and no label that grows with users', () => {
    assert.ok(declared.length > 20);
    for (const { name, kind, labels, help } of declared) {
      assert.match(name, /^tidings_[a-z_]+$/);
      assert.equal(name.endsWith('_total'), kind === 'counter', name);
      assert.ok(help.length > 10, name);
      assert.doesNotMatch(name, /_(ms|milliseconds|minutes|kb)/);
      for (const label of labels) assert.doesNotMatch(label, /workspace|key|webhook|recipient|message|^id$|_id$|^to$/, name);
    }
  });
});
