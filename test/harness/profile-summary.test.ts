import assert from 'node:assert/strict';
import { type CpuProfile, summarize } from '../../harness/measure/profile-summary.js';

const frame = (functionName: string, url = '') => ({ functionName, url, lineNumber: 0 });
const ours = (name: string) => frame(name, 'file:///app/dist/api/accept/accept.js');
const theirs = (name: string) => frame(name, 'file:///app/node_modules/pg/lib/query.js');

/** One second: 400 ms in a package that ours called, 300 in ours below itself, 200 in a package by itself, 100 idle. */
const profile: CpuProfile = {
  nodes: [
    { id: 1, callFrame: frame('(root)'), children: [2, 6, 7] },
    { id: 2, callFrame: ours('outer'), children: [3] },
    { id: 3, callFrame: ours('inner'), children: [4, 5] },
    { id: 4, callFrame: theirs('query') },
    { id: 5, callFrame: ours('outer') },
    { id: 6, callFrame: theirs('parse') },
    { id: 7, callFrame: frame('(idle)') },
  ],
  samples: [4, 5, 6, 7, 7],
  timeDeltas: [0, 400_000, 300_000, 200_000, 100_000],
};

/** Section by section: milliseconds a message by label. */
function sectionsOf(lines: readonly string[]): Record<string, Record<string, number>> {
  const sections: Record<string, Record<string, number>> = {};
  let section: Record<string, number> = {};
  for (const line of lines) {
    const [, ms, label = ''] = /^ {4} *([\d.]+) +[\d.]+ % {2}(.*)$/.exec(line) ?? [];
    if (ms === undefined) sections[line.trim()] = section = {};
    else section[label] = Number(ms);
  }
  return sections;
}

describe('the summary of a profile', () => {
  const sections = sectionsOf(summarize(profile, 10));

  it('the summary of a profile leaves out what was idle', () => {
    assert.ok('busy 90.000 ms/message' in sections);
  });

  it('the summary of a profile shows own time by package and function', () => {
    assert.deepEqual(sections['by package, self'], { pg: 60, 'ours: api/accept/accept.js': 30 });
    assert.deepEqual(sections['by function, self'], {
      'query  pg/lib/query.js:1': 40,
      'outer  api/accept/accept.js:1': 30,
      'parse  pg/lib/query.js:1': 20,
    });
  });

  it('the summary of a profile counts a function once that is on the stack twice', () => {
    assert.deepEqual(sections['by our function, with all that it calls'], {
      'outer  api/accept/accept.js:1': 70,
      'inner  api/accept/accept.js:1': 70,
    });
    assert.deepEqual(sections['by package, with all that it calls'], { 'ours: api/accept/accept.js': 70, pg: 60 });
  });

  it('the summary of a profile names the innermost function of ours, or the package that called back', () => {
    const causes = sections['by our function that caused it; where none is on the stack any more, by what called back'];
    assert.deepEqual(causes, { 'inner  api/accept/accept.js:1': 40, 'outer  api/accept/accept.js:1': 30, '[pg]': 20 });
  });
});
