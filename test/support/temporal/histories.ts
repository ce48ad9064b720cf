import { until } from '../client.js';
import type { TestTemporal } from './temporal.js';

/** The number of history events of a closed workflow. */
export async function eventCount({ client }: TestTemporal, workflowId: string): Promise<number> {
  const handle = client.workflow.getHandle(workflowId);
  await until(async () => (await handle.describe()).status.name !== 'RUNNING', `${workflowId} closes`);
  const { events } = await handle.fetchHistory();
  return events?.length ?? 0;
}
