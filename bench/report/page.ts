/** The performance page, created from one run: the figures, the method, and their limits. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
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
${reportLines(results, undefined).join('\n').trimEnd()}
\`\`\`

${method(options)}${soakOf(longestSoak())}
${limits}`,
  );
  return join('docs', 'performance.md');
}

const method = ({ messages, clients, rounds, alone, groupMax, rates }: Options) => `## How it is measured

- One run, everything side by side: the cases take turns (${rounds} of them), so that whatever else the machine does hits them alike. Compare the ratios, which hold elsewhere; the
  absolute figures are this machine's.
- A message counts when it is done: its row says delivered, its events were received and verified, and no workflow is open any more. A client sends its next message then
  (${clients} clients, ${messages} messages of each case); batches are sent in one call.
- **a** is the limit: a workflow that does nothing, with the same primitives (update-with-start, an activity, a signal, a timer), on the same server and the SDK's own worker.
- Single messages that arrive together share a workflow (\`ACCEPT_GROUP_MAX=${groupMax}\`). **p** has a workflow for each, from a second API process with \`ACCEPT_GROUP_MAX=1\`: batches are compared with
  both, as *b* becomes faster with every client that sends at the same time.
- **e** sends single messages and makes other calls beside each other, first alone and then during three batches, one after the other: what differs is the batch.
- The sandbox plays the provider: it takes every message within the process and reports 50 ms later by a signed HTTP callback to the API. A real provider adds its own round trip to *done*, and a
  connection to the worker.
- **f** is an open loop: for ${openSeconds} s each, ${rates.join(', ')} messages a second arrive, evenly spaced, from a process of their own, each with the webhook on all events. Nobody waits for an
  answer before the next send, and all times count from when a send was due: a pause of the service is in the figures of all that were due in it (no coordinated omission), as is what the sending
  process itself was late by. *Delivered* is the time that the provider names; the receiver's times are its own, when it had the whole request. What was refused as too much (503) is counted, and has no times. The
  clients' connections are there before the first send.
- In the other cases each client waits for its message before it sends the next one (a closed loop): their latencies are those of a service that is as busy as its clients make it.
- "One client" sends ${alone} messages one after the other, each when the last is over on all servers.
`;

/** The section of the longest soak, which is a separate run. */
function soakOf(results: Results | undefined): string {
  if (results?.soak === undefined) return '';
  const { at, environment, options, soak } = results;
  return `
## A soak

${options.soak.toLocaleString('en')} single messages with the webhook, ${options.clients} clients, by \`npm run bench -- --soak ${options.soak}\` on ${at.slice(0, 10)} (commit ${environment.commit}). Memory is read at rest, after each
tenth; the verdict compares the last with the second, when everything is warm. The figures of the disk hold all that was written: rows, indexes, events, and Temporal's histories,
which it forgets after a day.

\`\`\`
${[...sizeTable(soak), '', ...growthLines(soak)].join('\n')}
\`\`\`
`;
}

const limits = `## What it does not say

- Nothing of several processes of a kind, nor of a Temporal server on PostgreSQL instead of SQLite: [scaling.md](scaling.md).
- Nothing of weeks of history: tables and indexes are small and in memory.
- CPU is counted per process with its children, from the system's own accounting, which has steps of 10 ms.
`;
