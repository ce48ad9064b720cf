import assert from 'node:assert/strict';
import { createGaugeReader } from '../../../api/metrics/show-gauges.js';
import { clearServiceGauges, serviceGauges } from '../../../models/metrics/catalogue.js';
import { noteWatcherRun } from '../../../models/operations/watch/watcher-runs.js';
import { rows } from '../../support/database.js';
import { useDatabase } from '../../support/for-each.js';
import { whileLocked } from '../../support/lock-table.js';
import { withClock } from '../../support/shift-clock.js';

describe('the gauges of the whole service', () => {
  const test = useDatabase();
  after(clearServiceGauges);
  const watcherAge = async () => {
    await createGaugeReader(test.db)();
    return (await serviceGauges.watcherAge.get()).values[0]?.value;
  };

  it('the watcher is as old as the process while it has never completed a run, so that the alert can fire', async () => {
    const least = Math.floor(process.uptime());
    const age = (await watcherAge()) ?? assert.fail('there is no value');
    assert.ok(age >= least && age <= process.uptime(), `${age} s`);
    await noteWatcherRun(test.db, []);
    assert.ok(Number(await watcherAge()) < least + 1);
  });

  it('the gauges have the age of the last reading also after the clock was set back', async () => {
    const read = createGaugeReader(test.db);
    await read();
    await withClock(-3_600_000, read);
    const age = (await serviceGauges.readAge.get()).values[0]?.value ?? assert.fail('there is no value');
    assert.ok(age >= 0 && age < 60, `${age} s`);
  });

  it('a page that is asked for once a minute shows a new reading, also if that takes a moment', async () => {
    const read = createGaugeReader(test.db);
    await read();
    await readAfterAMinute(read, 0.3);
    const age = (await serviceGauges.readAge.get()).values[0]?.value ?? assert.fail('there is no value');
    assert.ok(age < 30, `${age} s`);
  });

  it('a page that is asked for once a minute has no values if a new reading takes longer than two seconds', async () => {
    const read = createGaugeReader(test.db);
    await read();
    await readAfterAMinute(read, 3);
    assert.deepEqual((await serviceGauges.watcherAge.get()).values, []);
  });

  /** Reads a minute later, while the reading waits for a lock for this time. */
  async function readAfterAMinute(read: () => Promise<void>, lockedSeconds: number): Promise<void> {
    await rows(test.db, "UPDATE service_gauges SET claimed_at = now() - interval '1 minute', read_at = now() - interval '1 minute'");
    const now = performance.now.bind(performance);
    performance.now = () => now() + 60_000;
    try {
      await whileLocked(test.db, 'service_gauges', lockedSeconds, read);
    } finally {
      performance.now = now;
    }
  }
});
