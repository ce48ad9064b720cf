/** Whether API and worker stay small: memory before, after so many messages, and after as many again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { closedLoop, type SingleCase, untilNoneRuns } from './measured-case.js';
import { usageOf } from './process-usage.js';
import type { Memory } from './results.js';
import type { Workbench } from './workbench.js';

const messagesOfHalf = 2_000;
const secondsMaxOfHalf = 600;
/** Collectors give memory back some time after the last work. */
const restMs = 5_000;

/** Sends both halves and reads the memory after each. */
export async function watchMemory(bench: Workbench, item: SingleCase, clients: number, say: (line: string) => void): Promise<Memory[]> {
  const memory = [read(item, 0)];
  say(`Sending ${2 * messagesOfHalf} messages with one webhook…`);
  for (let sent = 0; sent < 2 * messagesOfHalf; ) {
    const half = await closedLoop(() => item.send(), { messages: messagesOfHalf, clients, secondsMax: secondsMaxOfHalf });
    if (half.length < messagesOfHalf) throw new Error(`only ${half.length} messages in ${secondsMaxOfHalf} s`);
    sent += half.length;
    await untilNoneRuns(bench.client, item.workflowTypes);
    await sleep(restMs);
    memory.push(read(item, sent));
  }
  return memory;
}

function read(item: SingleCase, messages: number): Memory {
  const { API, worker } = usageOf(item.pids());
  return { messages, api_mb: API.rssMb, worker_mb: worker.rssMb };
}
