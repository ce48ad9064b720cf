/** Case p: single sends with one workflow each (ACCEPT_GROUP_MAX=1), through a second API process. */
import { join } from 'node:path';
import { PortBook } from '../../local/processes/ports.js';
import { openAccount } from '../../harness/load/account.js';
import { httpCase } from './cases.js';
import { nextMessage, startChild } from '../../harness/stage/child.js';
import type { Cleanup } from '../../harness/stage/cleanup.js';
import type { SingleCase } from './measured-case.js';
import { processEnvironment } from '../../harness/stage/service.js';
import { pidOf, servicePids, type Workbench } from '../../harness/stage/workbench.js';

/** Starts the API process, which ends with this one. Reports go to the first API process, so its CPU counts, too. */
export async function plainCase(bench: Workbench, cleanup: Cleanup): Promise<SingleCase> {
  const port = await new PortBook(bench.folder).choose('plain-api');
  const api = startChild(join(import.meta.dirname, '../../api/server.js'), cleanup, {
    env: { ...processEnvironment(bench.folder, bench.service), PORT: String(port), ACCEPT_GROUP_MAX: '1' },
    execArgv: ['--enable-source-maps'],
  });
  await nextMessage(api);
  const { apiKey } = await openAccount(bench.service.baseUrl);
  const baseUrl = `http://127.0.0.1:${port}`;
  return {
    ...httpCase(bench, { baseUrl, apiKey }, { key: 'p', title: 'a workflow each' }, (messageId) => bench.finished.until(messageId)),
    pids: () => ({ ...servicePids(bench), API: [pidOf(bench, 'API'), api.pid ?? 0] }),
  };
}
