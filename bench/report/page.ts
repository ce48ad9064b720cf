/** The performance page, created from one run: the figures, the method, and their limits. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { textOf } from '../../harness/measure/figures.js';
import { growthLines, sizeTable } from '../../harness/measure/growth.js';
import { openSeconds } from '../cases/open-loop.js';
import type { Options } from '../options.js';
import { reportLines } from './report.js';
import { longestSoak, type Results } from './results.js';

const path = resolve(import.meta.dirname, '../../../docs/performance.md');

/** Writes the page. @returns its path */
export function writePage(results: Results): string {
  const { at, environment, options } = results;
  mkdirSync(dirname(path), { recursive: true });
  const day = at.slice(0, 10);
  writeFileSync(
    path,
    `# Performance

Made by \`npm run bench -- --page\` on ${day}, on one machine with ${environment.cores} cores (${environment.cpu}, ${Math.round(environment.memory_mb / 1024)} GiB, ${environment.system}).
The API, the worker, the Temporal server on SQLite, PostgreSQL, the receiver of the webhooks and the load itself share these cores.

\`\`\`
${reportLines(results, undefined).map(textOf).join('\n').trimEnd()}
\`\`\`

${method(options)}${soakOf(longestSoak())}
${limits}`,
  );
  return join('docs', 'performance.md');
}

const method = ({ messages, clients, rounds, alone, groupMax, rates }: Options) => `## How it is measured

- The cases take turns within one run (${rounds} turns each), so other load on the machine affects all of them alike. The absolute figures hold for this machine only. To compare
  machines or versions, use the ratios: they depend much less on the machine.
- A message is done when its row has the status delivered and, with a webhook, when the receiver has verified all its events. Each client then sends its next message
  (${clients} clients, ${messages} messages in each case). A batch is one request. The rate of a case counts until all its workflows have ended.
- **a** is the reference: a workflow that does nothing, with the same Temporal primitives (update-with-start, an activity, a signal, a timer), on the same server, with the
  unmodified worker of the SDK.
- **b** sends single messages. Messages that arrive together share a workflow (\`ACCEPT_GROUP_MAX=${groupMax}\`).
- **c** is **b** with one webhook that receives all events.
- **d3** and **d10** are batches with that webhook. Their rate is compared with **p** as well as **b**, because **b** becomes faster with each further client that sends at
  the same time.
- **p** sends single messages with one workflow for each, through a second API process with \`ACCEPT_GROUP_MAX=1\`.
- **e** sends single messages and makes other calls at the same time: first without a batch, then during three batches, one after the other. The difference is the effect of
  the batch.
- The sandbox takes the place of the provider. It accepts each message inside the worker process, and reports the delivery 50 ms later with a signed HTTP callback to the
  API. A real provider adds its own round trip to *done*, and a connection to the worker.
- **f** is an open loop. For ${openSeconds} s at each rate (${rates.join(', ')} messages a second), a separate process sends at even intervals and does not wait for responses. The webhook receives all events.
  All times count from the moment at which a send was due. So a pause of the service shows in the times of all sends that were due during the pause (no coordinated omission).
  A delay of the sending process counts too. *Delivered* is the time in the provider's report; *received* is the time at which the receiver had read the whole request. Sends that
  were refused with 503 have a row of their own and no times. The clients connect before the first send.
- The other cases are closed loops: each client waits for its message before it sends the next one. Their latencies therefore depend on the number of clients.
- "One client" sends ${alone} messages one after the other. Each begins when the workflow of the previous one has ended.
`;

/** The section of the longest soak, which is a separate run. */
function soakOf(results: Results | undefined): string {
  if (results?.soak === undefined) return '';
  const { at, environment, options, soak } = results;
  return `
## A soak

${options.soak.toLocaleString('en')} single messages with the webhook, ${options.clients} clients, by \`npm run bench -- --soak ${options.soak}\` on ${at.slice(0, 10)} (commit ${environment.commit}). Memory is read after each
tenth, while the service is idle. The verdict compares the last tenth with the second, because everything is warm by then. The sizes on disk include rows, indexes, events and
Temporal's histories, which Temporal deletes after a day.

\`\`\`
${[...sizeTable(soak), '', ...growthLines(soak).map(textOf)].join('\n')}
\`\`\`
`;
}

const limits = `## What is not measured here

- Several processes of one kind, and a Temporal server on PostgreSQL: see [scaling.md](scaling.md).
- Weeks of history: the tables and indexes of these runs are small and fit into memory.

The CPU time of a process includes its children. It comes from the operating system, which counts in steps of 10 ms.
`;
