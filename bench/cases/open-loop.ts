/** Case f: single sends at fixed rates, with the times until response, hand-off, delivery and event. */
import { messageWorkflows } from '../../harness/measure/open-workflows.js';
import type { Cleanup } from '../../harness/stage/cleanup.js';
import type { OpenSend } from '../../harness/load/open-sends.js';
import { sendOpenLoop } from '../../harness/load/sends.js';
import { type CaseResult, type Percentiles, percentiles, runPass, summarizePasses } from '../../harness/measure/pass.js';
import type { Arrival } from '../../harness/load/receiver-process.js';
import { servicePids, type Workbench } from '../../harness/stage/workbench.js';

/** The stored result of one rate. All times count from the time at which a send was due. Only sends accepted with 201 count. */
export interface OpenLoop extends CaseResult {
  per_second: number;
  sends: number;
  /** Number of responses by status; 0: no response. */
  statuses: Record<number, number>;
  /** The delay of the sending process, over all sends. */
  late_ms: Percentiles;
  /** Until the provider accepted the message. */
  handed_off_ms: Percentiles;
  /** Until the delivery reported by the provider. */
  delivered_ms: Percentiles;
  /** Until the receiver had the event of the hand-off; `done_ms` is the same for the delivery. */
  handoff_event_received_ms: Percentiles;
}

/** The duration of each rate. */
export const openSeconds = 8;
const warmUp = { seconds: 3, perSecond: 50 };

/** @param apiKey the key of an account whose webhook is the receiver */
export async function measureOpenLoop(bench: Workbench, apiKey: string, rates: readonly number[], cleanup: Cleanup): Promise<OpenLoop[]> {
  const measured: OpenLoop[] = [];
  const sendAt = (perSecond: number, seconds: number) =>
    sendOpenLoop({ baseUrl: bench.service.baseUrl, apiKey, seconds, perSecond }, cleanup);
  await untilTold(bench, await sendAt(warmUp.perSecond, warmUp.seconds));
  for (const perSecond of rates) measured.push(await measureRate(bench, perSecond, () => sendAt(perSecond, openSeconds)));
  return measured;
}

async function measureRate(bench: Workbench, perSecond: number, sendAll: () => Promise<OpenSend[]>): Promise<OpenLoop> {
  let sends: OpenSend[] = [];
  let times: MessageTimes[] = [];
  const { receiver } = bench;
  const arrivedBefore = receiver.arrivals.length;
  const item = {
    sendAll: async () => {
      sends = await sendAll();
      await untilTold(bench, sends);
      times = timesOf(sends, receiver.arrivals.slice(arrivedBefore));
      return times.map(({ answeredMs, delivered }) => ({ acceptMs: answeredMs, doneMs: delivered.receivedMs }));
    },
    workflowTypes: messageWorkflows,
    pids: () => servicePids(bench),
  };
  const pass = await runPass(item, { messages: perSecond * openSeconds, clients: Number.POSITIVE_INFINITY }, bench.client);
  const statuses: OpenLoop['statuses'] = {};
  for (const { status } of sends) statuses[status] = (statuses[status] ?? 0) + 1;
  return {
    ...summarizePasses(`${perSecond}/s`, [pass]),
    per_second: perSecond,
    sends: sends.length,
    statuses,
    late_ms: percentiles(sends.map(({ delayMs }) => delayMs)),
    handed_off_ms: percentiles(times.map(({ sent }) => sent.happenedMs)),
    delivered_ms: percentiles(times.map(({ delivered }) => delivered.happenedMs)),
    handoff_event_received_ms: percentiles(times.map(({ sent }) => sent.receivedMs)),
  };
}

/** An accepted message, with times in milliseconds since it was due. */
interface MessageTimes {
  answeredMs: number;
  sent: Step;
  delivered: Step;
}

interface Step {
  happenedMs: number;
  /** Until the receiver had its event. */
  receivedMs: number;
}

const idsOf = (sends: readonly OpenSend[]) => sends.flatMap(({ messageId }) => messageId ?? []);

async function untilTold({ receiver }: Workbench, sends: readonly OpenSend[]): Promise<void> {
  await Promise.all(idsOf(sends).map((id) => receiver.until(id)));
}

function timesOf(sends: readonly OpenSend[], arrivals: readonly Arrival[]): MessageTimes[] {
  // A duplicate event counts at its first arrival.
  const first = new Map(arrivals.toReversed().map((arrival) => [`${arrival.messageId} ${arrival.event}`, arrival]));
  return sends.flatMap(({ dueAt, answeredMs, messageId }) => {
    const step = (event: string): Step => {
      const arrival = first.get(`${messageId} ${event}`);
      if (arrival === undefined) throw new Error(`${event} of ${messageId} never came`);
      return { happenedMs: arrival.eventAt - dueAt, receivedMs: arrival.at - dueAt };
    };
    return messageId === undefined ? [] : [{ answeredMs, sent: step('message.sent'), delivered: step('message.delivered') }];
  });
}
