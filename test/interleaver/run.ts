/**
 * `npm run interleave -- --schedules N --seed S [--operations a,b] [--failures N]`: runs operations against each other, one statement at a
 * time. A failure is printed statement by statement with the command that repeats it; the code is 1 then.
 */
import { parseArgs } from 'node:util';
import { numbersFrom } from '../../harness/report/number-options.js';
import { freshDatabase } from '../support/database.js';
import { mochaGlobalSetup, mochaGlobalTeardown } from '../support/servers.js';
import type { Draw } from './drawing.js';
import { operations } from './operations.js';
import { explain, Interleaver } from './schedule.js';

const { values } = parseArgs({
  options: {
    schedules: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    operations: { type: 'string', default: '' },
    failures: { type: 'string', default: '1' },
  },
});

/** All, or those that are named. @throws Error for a name that there is none of */
function chosen(names: string): Record<string, Draw> {
  if (names === '') return operations;
  return Object.fromEntries(
    names.split(',').map((name) => {
      const draw = operations[name];
      if (draw === undefined) throw new Error(`no operation ${name}: there are ${Object.keys(operations).join(', ')}`);
      return [name, draw];
    }),
  );
}

const numbers = { ...numbersFrom(1, { schedules: values.schedules, failures: values.failures }), ...numbersFrom(0, { seed: values.seed }) };
const draws = chosen(values.operations);
await mochaGlobalSetup();
try {
  const test = await freshDatabase();
  const interleaver = new Interleaver(test.db, test.url, draws);
  await interleaver.open();
  const startedAt = performance.now();
  const { failures, done } = await interleaver.schedules(numbers.seed, numbers.schedules, numbers.failures);
  const seconds = (performance.now() - startedAt) / 1_000;
  for (const failure of failures) process.stdout.write(`${explain(failure, values.operations)}\n\n`);
  process.stdout.write(`${done} schedules from seed ${values.seed} in ${seconds.toFixed(1)} s, ${failures.length} failed\n`);
  process.exitCode = failures.length === 0 ? 0 : 1;
  await interleaver.close();
  await test.drop();
} finally {
  await mochaGlobalTeardown();
}
