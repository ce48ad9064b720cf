import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../../../models/settings/config.js';
import { commandEnvironment, runFileIn, withEnvFile } from '../../../models/settings/environment.js';
import { deadPid } from '../../support/parts/child.js';

describe('the environment of commands', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tidings-environment-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const runs = (pid: number, settings: object) => writeFileSync(runFileIn(folder), JSON.stringify({ launcher: { pid }, settings }));

  it('the environment of commands has the settings of .env, and its own variables come first', () => {
    write('.env', '# a comment\nPORT=4000\nMAIL_FROM="Tidings <a@example.com>"\nLOG_LEVEL=warn\n');
    assert.deepEqual(withEnvFile({ LOG_LEVEL: 'error' }, folder), {
      PORT: '4000',
      MAIL_FROM: 'Tidings <a@example.com>',
      LOG_LEVEL: 'error',
    });
    assert.deepEqual(commandEnvironment({ DATABASE_URL: 'postgres://x' }, folder).PORT, '4000');
  });
  it('commands use the environment alone where there is no .env', () => {
    assert.deepEqual(withEnvFile({ PORT: '1' }, folder), { PORT: '1' });
  });
  it('commands are refused in one sentence where .env or the record of a service cannot be read', () => {
    mkdirSync(join(folder, '.env')); // as docker makes it for a file that is missing
    const isNamed = (file: string) => (error: unknown) =>
      error instanceof ConfigError && error.faults[0]?.includes(join(folder, file)) === true;
    assert.throws(() => withEnvFile({}, folder), isNamed('.env'));
    rmSync(join(folder, '.env'), { recursive: true });
    write('run.json', '{"launcher');
    assert.throws(() => commandEnvironment({ DATA_DIR: folder }, folder), isNamed('run.json'));
  });
  it('the environment of commands has the settings of the service that runs in DATA_DIR', () => {
    runs(process.pid, { DATABASE_URL: 'postgres://made', PORT: '4321' });
    assert.deepEqual(commandEnvironment({ DATA_DIR: '.', PORT: '0' }, folder), {
      DATA_DIR: '.',
      PORT: '4321',
      DATABASE_URL: 'postgres://made',
    });
    write('.env', `DATA_DIR=${folder}\nDATABASE_URL=\n`);
    assert.equal(commandEnvironment({}, folder).DATABASE_URL, 'postgres://made');
  });
  it('the environment of commands ignores a service when DATABASE_URL names another database', () => {
    runs(process.pid, { DATABASE_URL: 'postgres://made', SECRET_KEY: 'made' });
    const own = { DATA_DIR: folder, DATABASE_URL: 'postgres://own' };
    assert.deepEqual(commandEnvironment(own, folder), own);
  });
  it('the environment of commands ignores the record of a service that was killed', () => {
    runs(deadPid, { DATABASE_URL: 'postgres://made' });
    assert.deepEqual(commandEnvironment({ DATA_DIR: folder }, folder), { DATA_DIR: folder });
  });
});
