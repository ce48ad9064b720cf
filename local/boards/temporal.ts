import { queues } from '../../workflows/contract.js';
import { type Board, eventsIn, quantile, rate } from './board.js';

const used = 'temporal_worker_task_slots_used';
/** The SDK does not know how many slots for pages are free, because `PageSlots` adds some while carriers are slow. */
const free = `(temporal_worker_task_slots_available or 8 - ${used}{task_queue="${queues.bulk}",worker_type="ActivityWorker"})`;

export const temporalBoard: Board = {
  name: 'temporal',
  title: 'Temporal',
  panels: [
    {
      title: 'Failed workflow tasks',
      about: 'In five minutes. Must be 0: the workflow code does not match the histories.',
      unit: 'short',
      redFrom: 1,
      queries: [[`round(${eventsIn('5m', 'temporal_workflow_task_execution_failed_total')}) or vector(0)`, '']],
    },
    {
      title: 'Least free slots',
      about: 'At 0 a worker takes no more tasks of that kind, except pages beside those at slow carriers.',
      unit: 'short',
      redBelow: 1,
      queries: [[`clamp_min(min(${free}), 0)`, '']],
    },
    {
      title: 'Wait of workflow tasks',
      about: 'From schedule to start. Above a second there are too few workers.',
      unit: 's',
      queries: [
        [quantile(0.5, 'temporal_workflow_task_schedule_to_start_latency_seconds'), 'p50'],
        [quantile(0.95, 'temporal_workflow_task_schedule_to_start_latency_seconds'), 'p95'],
      ],
    },
    {
      title: 'Wait of activities, p95',
      about: 'From schedule to start, by task queue.',
      unit: 's',
      queries: [[quantile(0.95, 'temporal_activity_schedule_to_start_latency_seconds', ['task_queue']), '{{task_queue}}']],
    },
    {
      title: 'Used slots',
      about: 'By kind of task and task queue.',
      unit: 'short',
      queries: [[`sum by (worker_type, task_queue) (${used})`, '{{task_queue}} {{worker_type}}']],
    },
    {
      title: 'Share of slots in use',
      about: 'By kind of task and task queue. At 100 % tasks wait. Extra pages beside slow carriers raise it above 100 %.',
      unit: 'percentunit',
      queries: [
        [
          `sum by (worker_type, task_queue) (${used}) / sum by (worker_type, task_queue) (${used} + ${free})`,
          '{{task_queue}} {{worker_type}}',
        ],
      ],
    },
    {
      title: 'Workflows',
      about: 'Completed and failed workflows per second. Failed should be 0.',
      unit: 'ops',
      queries: [
        [rate('temporal_workflow_completed_total', ['workflow_type']), '{{workflow_type}}'],
        [rate('temporal_workflow_failed_total', ['workflow_type']), 'failed {{workflow_type}}'],
      ],
    },
    {
      title: 'Time of a workflow task, p95',
      about: 'The code of workflows alone.',
      unit: 's',
      queries: [[quantile(0.95, 'temporal_workflow_task_execution_latency_seconds'), 'p95']],
    },
    {
      title: 'Cached workflows',
      about: 'In the sticky cache of each worker.',
      unit: 'short',
      queries: [['sum by (instance) (temporal_sticky_cache_size)', '{{instance}}']],
    },
    {
      title: 'Use of the sticky cache',
      about: 'A miss means that a workflow had to be replayed.',
      unit: 'ops',
      queries: [
        ['sum(rate(temporal_sticky_cache_hit_total[5m]))', 'hits'],
        ['sum(rate(temporal_sticky_cache_miss_total[5m])) or vector(0)', 'misses'],
      ],
    },
    {
      title: 'Failed requests to the server',
      about: 'Of the SDK, by operation.',
      unit: 'reqps',
      queries: [[rate('temporal_request_failure_total', ['operation']), '{{operation}}']],
    },
    {
      title: 'Pollers',
      about: 'By kind and task queue; 0 means that nobody asks for tasks.',
      unit: 'short',
      queries: [['sum by (poller_type, task_queue) (temporal_num_pollers)', '{{task_queue}} {{poller_type}}']],
    },
  ],
};
