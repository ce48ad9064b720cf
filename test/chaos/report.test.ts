import assert from 'node:assert/strict';
import { rules } from './oracle/judge.js';
import { type Figures, pageOf } from './report/page.js';
import type { Summary } from './summary.js';

describe('docs/reliability.md', () => {
  const summary = (seed: number, changes: Partial<Summary> = {}): Summary => ({
    seed,
    commit: 'abc',
    command: `npm run chaos -- --seed ${seed}`,
    minutes: 1,
    nemeses: { 'kill-worker': 2 },
    impossible: [],
    figures: {
      calls: 1_000,
      unanswered: 1,
      uncertainRefusals: 2,
      messages: 600,
      taken: 500,
      lawfulDoubles: 0,
      handoffUnknown: 3,
      reports: 700,
      arrivals: 900,
      entries: 400,
      faults: {},
    },
    statuses: { delivered: 600 },
    seconds: {},
    verdict: 'passed',
    violations: {},
    ...changes,
  });
  const figures = (changes: Partial<Figures> = {}): Figures => ({
    summaries: [summary(1), summary(2), summary(7)],
    rules,
    nemeses: ['kill-worker', 'stop-api'],
    mutants: { planted: 109, unnoticed: [] },
    interleavings: { schedules: 100_000, violations: 0 },
    machine: { cores: 2, model: 'Test', memoryMb: 4_096, node: '20.20.2' },
    ...changes,
  });

  it('docs/reliability.md sums up the runs, and names each rule, fault and seed', () => {
    const page = pageOf(figures());
    assert.match(page, /seeds {7}1–2, 7\n/);
    assert.match(page, /\| requests of clients \| 3,000 \|/);
    assert.match(page, /\| `kill-worker` \| 6 \| 3 \|/);
    assert.match(page, /\| `stop-api` \| 0 \| 0 \|/);
    for (const { name } of rules) assert.match(page, new RegExp(`\\| \`${name}\` \\| .+ \\| 0 \\|`));
    assert.match(page, /100,000 schedules were run; 0 broke an invariant/);
  });

  it('docs/reliability.md shows broken promises, findings, and faults that the oracle missed', () => {
    const failed = summary(3, { verdict: 'failed', violations: { 'taken-once': 2, settles: 1 } });
    const page = pageOf(figures({ summaries: [summary(1), failed], mutants: { planted: 109, unnoticed: ['a credit is lost'] } }));
    assert.match(page, /runs {8}2, of which 1 broke no promise/);
    assert.match(page, /\| `taken-once` \| .+ \| 2 \|/);
    assert.match(page, /\| `settles` \| .+ \| 1 \|/);
    assert.match(page, /notices 108 of 109/);
    assert.match(page, /not noticed: a credit is lost/);
  });

  it('docs/reliability.md has placeholders if there is no run, and names missing figures', () => {
    assert.match(pageOf(figures({ summaries: [] })), /\| requests of clients \| … \|/);
    assert.match(pageOf(figures({ interleavings: null })), /No figures were given/);
  });
});
