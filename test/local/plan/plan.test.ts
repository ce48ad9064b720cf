import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { ConfigError } from '../../../models/settings/config.js';
import { prepareDataDir, readPlan } from '../../../local/plan/plan.js';
import { PortBook, requireFreePort } from '../../../local/processes/ports.js';
import { loadSecrets } from '../../../local/state/secrets.js';
import { StartError } from '../../../local/output/start-error.js';
import { writeState } from '../../../local/state/state-file.js';
import { portFault } from '../../../models/network/free-port.js';
import { temporaryFolder } from '../processes/stand-in.js';

const database = 'postgres://u:p@127.0.0.1:5432/d';
const temporal = '127.0.0.1:7233';
const secret = 'x'.repeat(32);

const how =
  'It is created automatically only if everything is embedded, without DATABASE_URL and TEMPORAL_ADDRESS. Create one with: openssl rand -hex 32';

const faultsOf = (env: NodeJS.ProcessEnv): string[] => {
  try {
    readPlan(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
};

describe('plan', () => {
  it('a part that is not configured is embedded, and an empty setting counts as none', () => {
    const { embedsPostgres, embedsTemporal, allEmbedded } = readPlan({ DATABASE_URL: '', REDIS_URL: 'redis://127.0.0.1' });
    assert.deepEqual({ embedsPostgres, embedsTemporal, allEmbedded }, { embedsPostgres: true, embedsTemporal: true, allEmbedded: true });
    const mixed = readPlan({ DATABASE_URL: database, JWT_SECRET: secret, SECRET_KEY: secret });
    assert.deepEqual([mixed.embedsPostgres, mixed.embedsTemporal, mixed.allEmbedded], [false, true, false]);
  });

  it('the secrets are required unless everything is embedded', () => {
    assert.deepEqual(faultsOf({}), []);
    for (const env of [
      { DATABASE_URL: database },
      { TEMPORAL_ADDRESS: temporal },
      { DATABASE_URL: database, TEMPORAL_ADDRESS: temporal },
    ]) {
      assert.deepEqual(faultsOf(env), [`JWT_SECRET is not set. ${how}`, `SECRET_KEY is not set. ${how}`]);
    }
  });

  it('a start with several faults lists them all at once', () => {
    const faults = faultsOf({ PORT: 'x', RATE_LIMIT_API: '1', TEMPORAL_ADDRESS: 'nowhere', JWT_SECRET: 'short' });
    const names = faults.map((fault) => fault.split(' ')[0]);
    assert.deepEqual(new Set(names), new Set(['JWT_SECRET', 'PORT', 'RATE_LIMIT_API', 'SECRET_KEY', 'TEMPORAL_ADDRESS']));
  });
});

describe('what a folder keeps', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => folder.remove());

  it('a folder is closed to other users, and one that cannot be created is refused in one sentence', () => {
    const dataDir = join(folder.path, 'a', 'b');
    prepareDataDir(dataDir);
    assert.equal(statSync(dataDir).mode & 0o777, 0o700);
    writeFileSync(join(folder.path, 'file'), '');
    assert.throws(() => prepareDataDir(join(folder.path, 'file')), StartError);
    assert.throws(() => prepareDataDir(join(folder.path, 'file', 'c')), StartError);
  });

  it('a folder below one that takes no folders is refused, and the start does not hang', () => {
    const { href } = new URL('../../../local/plan/plan.js', import.meta.url);
    const script = `import { prepareDataDir } from '${href}'; prepareDataDir('/proc/tidings/data');`;
    const limits = { timeout: 60_000, killSignal: 'SIGKILL', encoding: 'utf8' } as const; // a hanging mkdir hears no other signal
    const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], limits);
    assert.match(stderr, /StartError: DATA_DIR \/proc\/tidings\/data cannot be used/);
  });

  it('secrets stay the same at every start, and only the owner can read them', () => {
    const secrets = loadSecrets(folder.path);
    assert.ok(Object.values(secrets).every((one) => one.length >= 32) && new Set(Object.values(secrets)).size === 3);
    assert.deepEqual(loadSecrets(folder.path), secrets);
    assert.equal(statSync(join(folder.path, 'secrets.json')).mode & 0o777, 0o600);
  });

  it('a state that cannot be written is refused in one sentence, and leaves no other file', () => {
    mkdirSync(join(folder.path, 'secrets.json'));
    assert.throws(() => writeState(join(folder.path, 'secrets.json'), {}), StartError);
    assert.throws(() => writeState(join(folder.path, 'none', 'ports.json'), {}), StartError);
    assert.deepEqual(readdirSync(folder.path), ['secrets.json']);
  });

  it('damaged secrets are not silently replaced', () => {
    writeFileSync(join(folder.path, 'secrets.json'), '{"jwt_');
    assert.throws(() => loadSecrets(folder.path), StartError);
  });

  it('the ports of the last run are used again, unless another program has them', async () => {
    const port = await new PortBook(folder.path).choose('postgres');
    assert.equal(await new PortBook(folder.path).choose('postgres'), port);
    const [squatter] = await listen(port);
    assert.notEqual(await new PortBook(folder.path).choose('postgres'), port);
    squatter.close();
  });

  it('different parts get different ports, the usual ones first', async () => {
    const [server, usual] = await listen(0);
    server.close();
    await once(server, 'close');
    const book = new PortBook(folder.path);
    const chosen = [await book.choose('one', usual), await book.choose('other', usual), await book.choose('one')];
    assert.deepEqual([chosen[0], chosen[2]], [usual, usual]);
    assert.notEqual(chosen[1], usual);
  });
});

describe('the port of the API', () => {
  it('a port that another program uses is refused in one sentence', async () => {
    const [server, port] = await listen(0);
    await assert.rejects(requireFreePort(port, '127.0.0.1'), {
      name: 'StartError',
      message: `Port ${port} on 127.0.0.1 is in use by another program: stop it, or set PORT to a free one.`,
    });
    server.close();
    await once(server, 'close');
    await requireFreePort(port, '127.0.0.1');
    assert.equal(await portFault(port, '127.0.0.1'), undefined, 'the probe leaves it free');
  });

  it('an address of another machine is refused in one sentence', async () => {
    await assert.rejects(requireFreePort(0, '192.0.2.1'), {
      name: 'StartError',
      message: /^HOST 192\.0\.2\.1 is not an address of this machine/,
    });
    await assert.rejects(requireFreePort(0, 'nothing.invalid'), {
      name: 'StartError',
      message: /^HOST nothing\.invalid is no name .*: set HOST /,
    });
  });
});

async function listen(port: number) {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return [server, (server.address() as AddressInfo).port] as const;
}
