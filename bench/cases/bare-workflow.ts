/** The limit: what a message costs in Temporal when nothing else is done for it. Workflow code. */
import { condition, defineSignal, defineUpdate, proxyActivities, proxySinks, setHandler, workflowInfo } from '@temporalio/workflow';
import { bareSignal, bareUpdate } from './bare-contract.js';

interface BareActivities {
  handOff(id: string): Promise<void>;
}

/** How the bench learns of the end without asking the server, which would make the limit dearer than what it limits. */
export type BareSinks = { bench: { done(): void } };

const { handOff } = proxyActivities<BareActivities>({ startToCloseTimeout: '60s' });
const { bench } = proxySinks<BareSinks>();

/** The primitives of `sendMessage`: an update that starts it, an activity, a signal, a timer. */
export async function bareMessage(): Promise<void> {
  let isReported = false;
  setHandler(defineUpdate<boolean>(bareUpdate), () => true);
  setHandler(defineSignal(bareSignal), () => {
    isReported = true;
  });
  await handOff(workflowInfo().workflowId);
  await condition(() => isReported, '3 days');
  bench.done();
}
