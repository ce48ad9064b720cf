import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { startProcess, type Running } from '../../../local/processes/part.js';
import { isAlive } from '../../../local/processes/process-identity.js';
import { runningAddresses, RunRecord, stopLeftovers } from '../../../local/state/run-record.js';
import { readState, writeState } from '../../../local/state/state-file.js';
import { until } from '../../support/client.js';
import { obedient, scriptPart, stubborn, temporaryFolder } from './stand-in.js';

describe('leftovers of a killed launcher', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let runPath: string;
  const started: Running[] = [];
  beforeEach(() => {
    folder = temporaryFolder();
    runPath = join(folder.path, 'run.json');
  });
  afterEach(async () => {
    await Promise.all(started.splice(0).map((running) => running.end()));
    folder.remove();
  });

  async function start(record: RunRecord, name: string, javaScript: string): Promise<Running> {
    const running = await startProcess(scriptPart(folder.path, name, javaScript), record);
    started.push(running);
    await until(() => running.output().includes('up'), 'it says that it is up');
    return running;
  }

  it('leftovers of a launcher are stopped, the last one first, also by force', async () => {
    const record = new RunRecord(folder.path);
    const [first, second] = [await start(record, 'first', obedient), await start(record, 'second', stubborn)];
    assert.deepEqual(await stopLeftovers(folder.path), ['second', 'first']);
    assert.ok(!isAlive(first.identity) && !isAlive(second.identity));
  });

  it('leftovers of a launcher are left alone when another process has their pid by now', async () => {
    const record = new RunRecord(folder.path);
    const { identity } = await start(record, 'other', obedient);
    const run = readState<{ processes: { started: string }[] }>(runPath);
    writeState(runPath, { ...run, processes: run?.processes.map((one) => ({ ...one, started: 'long ago' })) });
    assert.deepEqual(await stopLeftovers(folder.path), []);
    assert.ok(isAlive(identity));
  });

  it('a launcher has no leftovers without a record, with a damaged one, or with one of processes that ended', async () => {
    assert.deepEqual(await stopLeftovers(folder.path), []);
    const record = new RunRecord(folder.path);
    await (await start(record, 'short', obedient)).end();
    assert.deepEqual(readState<{ processes: unknown[] }>(runPath)?.processes, []);
    writeState(runPath, 'damaged');
    assert.deepEqual(await stopLeftovers(folder.path), []);
  });

  it('leftovers of a launcher are recorded for their owner only', async () => {
    await start(new RunRecord(folder.path), 'one', obedient);
    assert.equal(statSync(runPath).mode & 0o777, 0o600);
  });

  it('leftovers do not count as a running service', () => {
    const record = new RunRecord(folder.path);
    const addresses = { api: 'http://127.0.0.1:1', temporal_ui: null, demo_receiver: null };
    assert.equal(runningAddresses(folder.path), undefined);
    record.announce(addresses, {});
    assert.deepEqual(runningAddresses(folder.path), addresses);
    writeState(runPath, JSON.parse(readFileSync(runPath, 'utf8').replace(/"started": ".*"/, '"started": "long ago"')));
    assert.equal(runningAddresses(folder.path), undefined);
  });
});
