/** The soak case: very many single messages with a webhook, with memory and disk usage after every tenth of them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, select } from '../../models/db/database.js';
import { assertBooks } from '../../harness/checks/invariants.js';
import { messageWorkflows, untilNoneRuns } from '../../harness/measure/open-workflows.js';
import { closedLoop, type Load } from '../../harness/load/closed-loop.js';
import type { Cleanup } from '../../harness/stage/cleanup.js';
import { type Size, sizeHead, sizeLine, sizeNow, tenths } from '../../harness/measure/growth.js';
import { createSender } from '../../harness/load/sender.js';
import { openSubscriber, type Workbench } from '../../harness/stage/workbench.js';
import { sendToEnd } from './cases.js';

/** How long to wait for garbage collection after the last message. */
const restMs = 5_000;

/**
 * Sends the messages until they are done. Then the books must balance, and all events must have valid signatures.
 * @returns the sizes before, and in idle state after each tenth
 */
export async function soak(
  bench: Workbench,
  { messages, clients }: Load,
  say: (...lines: string[]) => void,
  cleanup: Cleanup,
): Promise<Size[]> {
  const db = connect(bench.service.databaseUrl, 1);
  cleanup.add(() => db.close());
  const sender = createSender(bench.service.baseUrl, await openSubscriber(bench));
  const send = () => sendToEnd(sender, (messageId) => bench.receiver.until(messageId));
  const sizes: Size[] = [];
  const look = async (sent: number, seconds: number) => {
    sizes.push(await sizeNow(bench, db, sent, seconds));
    say(sizeLine(sizes));
  };
  say(`Sending ${messages} messages with one webhook, ${clients} clients…`, '', sizeHead);
  await look(0, 0);
  let workMs = 0;
  for (let tenth = 1, sent = 0; tenth <= tenths; tenth += 1) {
    const startedAt = performance.now();
    const until = Math.round((messages * tenth) / tenths);
    sent += (await closedLoop(send, { messages: until - sent, clients })).length;
    await untilNoneRuns(bench.client, messageWorkflows);
    workMs += performance.now() - startedAt;
    await sleep(restMs);
    await look(sent, workMs / 1000);
  }
  await select(db, 'SET statement_timeout = 0'); // the check of the books reads all rows
  await assertBooks(db);
  const { forged } = bench.receiver.counts;
  if (forged > 0) throw new Error(`${forged} webhook requests had no valid signature`);
  return sizes;
}
