import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { workflowBundlePath } from '../../activities/worker/workers.js';
import { traceHeader, workflowTypes } from '../../workflows/contract.js';
import { endReplays } from '../support/temporal/end-replays.js';

const folder = resolve(import.meta.dirname, '../../../test/histories');

/** What each path costs in history events: a change here is a change of price, made on purpose or a mistake. */
const eventCounts: Readonly<Record<string, number>> = {
  delivered: 21,
  'failed-by-report': 21,
  'provider-unavailable': 21,
  'refused-at-hand-off': 15,
  'no-report': 27,
  'fallback-begun': 42,
  'fallback-not-needed': 24,
  scheduled: 26,
  cancelled: 27,
  'delivered-with-webhook': 36,
  'webhook-left-to-retrier': 36,
  retrier: 11,
  'webhook-left-to-child': 32,
  'webhook-failed': 11,
  replay: 17,
  mail: 11,
  'late-report': 6,
  attempt: 11,
  starts: 10,
  recovery: 11,
  watcher: 79,
  batch: 14,
  group: 14,
  page: 11,
};

describe('recorded histories', () => {
  const read = (name: string) => JSON.parse(readFileSync(resolve(folder, `${name}.json`), 'utf8'));

  it('recorded histories are complete, with the expected number of events', () => {
    const names = readdirSync(folder).map((file) => file.replace(/\.json$/, ''));
    const counted = Object.fromEntries(names.map((name) => [name, read(name).events.length]));
    assert.deepEqual(counted, eventCounts);
  });

  it('recorded histories exist for every type of workflow', () => {
    const started = ({ eventType }: { eventType: string }) => eventType === 'EVENT_TYPE_WORKFLOW_EXECUTION_STARTED';
    const typeOf = (name: string) => read(name).events.find(started).workflowExecutionStartedEventAttributes.workflowType.name;
    const recorded = new Set(Object.keys(eventCounts).map(typeOf));
    assert.deepEqual(recorded, new Set(Object.values(workflowTypes)));
  });

  before(() => {
    Runtime.install({ logger: new DefaultLogger('ERROR') });
  });
  after(endReplays);

  /** @param historyOf the history of a name */
  const differences = async (historyOf: (name: string) => object) => {
    const histories = Object.keys(eventCounts).map((name) => ({ workflowId: name, history: historyOf(name) }));
    const found: string[] = [];
    for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle: { codePath: workflowBundlePath } }, histories)) {
      if (error !== undefined) found.push(`${workflowId}: ${error.message}`);
    }
    return found;
  };

  it('recorded histories replay on the present workflow code', async () => {
    assert.deepEqual(await differences(read), []);
  });

  it('recorded histories replay if only the start of the workflow has a place in a trace', async () => {
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const data = base64('"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"');
    const traced = (name: string) => {
      const history = read(name);
      const start = history.events[0].workflowExecutionStartedEventAttributes;
      start.header = { fields: { [traceHeader]: { metadata: { encoding: base64('json/plain') }, data } } };
      return history;
    };
    assert.deepEqual(await differences(traced), []);
  });
});
