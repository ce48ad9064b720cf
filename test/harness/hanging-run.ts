/** Not a test of the suite: `killed-run.test.ts` runs it and kills the run. It writes a file when all servers run, and then hangs. */
import { writeFileSync } from 'node:fs';
import { startRedisServer } from '../../harness/stage/redis-server.js';
import { freePort } from '../support/network/free-port.js';

describe('a run that hangs', function () {
  this.timeout(0);

  it('a run that hangs has started another Redis, as test files do', async () => {
    if (process.env.TEST_REDIS !== undefined) await startRedisServer(await freePort());
    writeFileSync(process.env.HANGING_FILE as string, '');
    await new Promise(() => setInterval(() => undefined, 1_000));
  });
});
