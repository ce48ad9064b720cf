/**
 * `npm run screenshots`: starts the whole service, fills a workspace by its API, and takes a picture of each screen of the console for the
 * documents. The messages are real sends through the sandbox.
 */
import { runToExit } from '../../harness/stage/cleanup.js';
import { startService } from '../../harness/stage/service.js';
import { fillWorkspace } from './fill-workspace.js';
import { spreadHistory } from './history.js';
import { prepareRun } from './prepare-run.js';
import { startReceivers } from './receivers.js';
import { takePictures } from './take-pictures.js';

const runMsMax = 300_000;

/** The limits of a workspace are shown as they are for everybody, so the wide ones of other runs are left out. */
const env = { SIGNUP_CREDITS: '500', RATE_LIMIT_AUTH: '1000/60', SANDBOX_DELAY_MS: '400' };

await runToExit(runMsMax, async (cleanup) => {
  const { dataDir, page } = await prepareRun('screenshots', cleanup);
  const service = await startService(dataDir, env, cleanup);
  const receivers = await startReceivers(dataDir, cleanup);
  const filled = await fillWorkspace(service, receivers);
  await spreadHistory(service.databaseUrl, filled.workspaceId);
  const written = await takePictures(page, service.baseUrl, filled);
  process.stdout.write(`${written.join('\n')}\n`);
  return 0;
});
