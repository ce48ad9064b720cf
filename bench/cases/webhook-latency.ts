/** The latency of events after a status change: with low load and at saturation, alone and beside hanging endpoints. */
import { availableParallelism } from 'node:os';
import { openAccount } from '../../harness/load/account.js';
import { openBulk } from './bulk.js';
import { webhookCase } from './cases.js';
import type { Cleanup } from '../../harness/stage/cleanup.js';
import { untilNoneRuns } from '../../harness/measure/open-workflows.js';
import { formatPercentiles } from '../../harness/measure/figures.js';
import { percentiles } from '../../harness/measure/pass.js';
import { othersCpuMs } from '../../harness/measure/process-usage.js';
import { happyEvents, type Endpoint } from '../../harness/load/receiver.js';
import type { Arrival, ResponseBehaviour } from '../../harness/load/receiver-process.js';
import { createSender, type Sender } from '../../harness/load/sender.js';
import { steadySends } from '../../harness/load/steady-sends.js';
import type { Outcome } from './outcome.js';
import { openSubscriber, type Workbench } from '../../harness/stage/workbench.js';

const sendsPerSecond = 5;
const firstMsMax = 150;
const clients = 16;
const neighbours = 30;
/** The rate of all neighbours together. Each has a message with three events every ten seconds. */
const neighboursPerSecond = 3;
const slowerMax = 1.5;
const batchSize = 3_000;
const acknowledging: ResponseBehaviour = { status: 200, afterMs: 0 };
const hanging: ResponseBehaviour = { status: 'never', afterMs: 0 };

const delays = (arrivals: readonly Arrival[]) => percentiles(arrivals.map(({ at, eventAt }) => at - eventAt));

/** Measures with one client that sends five messages per second. */
export async function firstAttempts(bench: Workbench, seconds: number): Promise<Outcome> {
  const { receiver, service } = bench;
  const sender = createSender(service.baseUrl, await openSubscriber(bench));
  await steadySends(sender, seconds / 2, sendsPerSecond); // warm-up
  await untilSettled(bench);
  const before = receiver.arrivals.length;
  const { accepted } = await steadySends(sender, seconds, sendsPerSecond);
  await untilSettled(bench);
  const arrivals = receiver.arrivals.slice(before);
  const lateness = delays(arrivals);
  const byEvent = happyEvents.map(
    (name) => `${name.slice(8)} ${formatPercentiles(delays(arrivals.filter(({ event }) => event === name)))}`,
  );
  return {
    lines: [
      `first attempt after the change of status, ${sendsPerSecond} messages/s: ${formatPercentiles(lateness)}`,
      ...byEvent.map((line) => `  ${line}`),
    ],
    violations: [
      ...(lateness.p95 > firstMsMax ? [`the first attempt comes ${lateness.p95.toFixed(0)} ms after the change of status`] : []),
      ...(arrivals.length === accepted * happyEvents.length ? [] : [`${arrivals.length} events of ${accepted} messages`]),
    ],
  };
}

interface Saturated {
  singles: readonly Arrival[];
  seconds: number;
  batchPerSecond: number;
  othersCpuMs: number;
}

/**
 * Sends at the maximum rate beside neighbours whose endpoints answer, then hang, then answer again. So other load on the machine affects both
 * kinds of measurements.
 */
export async function saturate(bench: Workbench, seconds: number, cleanup: Cleanup): Promise<Outcome> {
  const others = await Promise.all(Array.from({ length: neighbours }, (_, index) => openNeighbour(bench, index)));
  const apiKey = await openSubscriber(bench);
  const measure = async (behaviour: ResponseBehaviour): Promise<Saturated> => {
    for (const { endpoint } of others) endpoint.answer(behaviour);
    return saturateOnce(bench, { apiKey, others: others.map(({ sender }) => sender), seconds, cleanup });
  };
  await measure(acknowledging); // warm-up
  const before = await measure(acknowledging);
  const beside = await measure(hanging);
  const after = await measure(acknowledging);
  const line = (title: string, phases: readonly Saturated[]) => {
    const [seconds, others] = [sumOf(phases, (phase) => phase.seconds), sumOf(phases, ({ othersCpuMs }) => othersCpuMs)];
    const perSecond = sumOf(phases, ({ singles }) => singles.length) / seconds;
    const ofBatch = sumOf(phases, ({ batchPerSecond }) => batchPerSecond) / phases.length;
    const share = Math.max(0, others / 10 / seconds / availableParallelism());
    return `  ${title.padEnd(24)}${perSecond.toFixed(0)} events/s of single messages, ${formatPercentiles(latenessOf(phases))}; ${ofBatch.toFixed(0)} events/s of a batch; CPU of others ${share.toFixed(0)} %`;
  };
  const slower = latenessOf([beside]).p95 / latenessOf([before, after]).p95;
  return {
    lines: [
      `events at saturation, ${clients} clients`,
      line('alone', [before, after]),
      line(`${neighbours} endpoints hang`, [beside]),
      `  p95 ${slower.toFixed(2)} times as long`,
    ],
    violations: slower > slowerMax ? [`beside endpoints that hang p95 is ${slower.toFixed(2)} times as long`] : [],
  };
}

const latenessOf = (phases: readonly Saturated[]) => delays(phases.flatMap(({ singles }) => singles));
const sumOf = <Item>(items: readonly Item[], of: (item: Item) => number) => items.reduce((sum, item) => sum + of(item), 0);

interface Neighbour {
  endpoint: Endpoint;
  sender: Sender;
}

async function openNeighbour({ receiver, service }: Workbench, index: number): Promise<Neighbour> {
  const { apiKey, subscribe } = await openAccount(service.baseUrl);
  const endpoint = receiver.endpoint(`neighbour-${index}`);
  endpoint.trust(await subscribe(endpoint.url));
  return { endpoint, sender: createSender(service.baseUrl, apiKey) };
}

interface Load {
  apiKey: string;
  others: readonly Sender[];
  seconds: number;
  cleanup: Cleanup;
}

async function saturateOnce(bench: Workbench, { apiKey, others, seconds, cleanup }: Load): Promise<Saturated> {
  const { arrivals } = bench.receiver;
  const inTurn = { post: (number: number) => (others[number % others.length] as Sender).post(number) };
  const beside = steadySends(inTurn, 2 * seconds, neighboursPerSecond);
  const before = arrivals.length;
  const othersBefore = othersCpuMs();
  const startedAt = performance.now();
  await webhookCase(bench, apiKey).sendAll({ messages: Number.MAX_SAFE_INTEGER, clients, secondsMax: seconds });
  const singles = arrivals.slice(before);
  const spent = { seconds: (performance.now() - startedAt) / 1000, othersCpuMs: othersCpuMs() - othersBefore };
  await (await openBulk(bench, apiKey, cleanup).start(batchSize)).done();
  const ofBatch = arrivals.slice(before + singles.length);
  await beside;
  return { ...spent, singles, batchPerSecond: rateOf(ofBatch) };
}

/** The arrivals per second, from the first to the last. */
export const rateOf = (arrivals: readonly Arrival[]): number =>
  (arrivals.length * 1000) / ((arrivals.at(-1)?.at ?? Number.NaN) - (arrivals[0]?.at ?? Number.NaN));

const untilSettled = ({ client }: Workbench) => untilNoneRuns(client, ['sendMessage', 'sendGroup']);
