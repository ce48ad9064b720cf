import assert from 'node:assert/strict';
import { formatSeconds } from '../../../local/output/output.js';

describe('durations in the output of npm start', () => {
  for (const [ms, text] of [
    [900, '0.9 s'],
    [59_940, '59.9 s'],
    [59_960, '1 min 0 s'],
    [119_700, '2 min 0 s'],
    [312_000, '5 min 12 s'],
  ] as const) {
    it(`a duration of ${ms} ms is shown as ${text}`, () => assert.equal(formatSeconds(ms), text));
  }
});
