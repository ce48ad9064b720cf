import assert from 'node:assert/strict';
import { closeSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { rotateLargeLogs, newLog } from '../../../local/processes/log-files.js';
import { temporaryFolder } from './stand-in.js';

describe('log files', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => folder.remove());

  const contents = () =>
    Object.fromEntries(
      readdirSync(folder.path)
        .toSorted()
        .map((name) => [name, readFileSync(join(folder.path, name), 'utf8')]),
    );
  /** As a part holds its log: open for appending, until it ends. */
  const append = (path: string, ...lines: string[]) => {
    const log = openSync(path, 'a');
    for (const line of lines) writeSync(log, line);
    return { log, close: () => closeSync(log) };
  };

  it('each run has a new log, and the log of the last run is kept', () => {
    for (const run of ['first', 'second', 'third']) append(newLog(folder.path, 'api'), run).close();
    assert.deepEqual(contents(), { 'api.log': 'third', 'api.log.1': 'second' });
  });

  it('a large log is rotated while its process writes, and a small one stays', () => {
    const api = append(newLog(folder.path, 'api'), 'much too much');
    const worker = append(newLog(folder.path, 'worker'), 'little');
    rotateLargeLogs(folder.path, 10);
    for (const { log } of [api, worker]) writeSync(log, ', more');
    rotateLargeLogs(folder.path, 20);
    for (const { close } of [api, worker]) close();
    assert.deepEqual(contents(), { 'api.log': ', more', 'api.log.1': 'much too much', 'worker.log': 'little, more' });
  });
});
