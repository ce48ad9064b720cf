import type { Panel } from './board.js';

/** What every process needs: CPU, memory, disk and a correct clock. */
export const processPanels: readonly Panel[] = [
  {
    title: 'Process starts',
    about: 'Starts in the last five minutes, by process. 0 after a freeze; more after a crash or a deployment.',
    unit: 'short',
    queries: [['sum by (instance) (changes(process_start_time_seconds{job=~"tidings-.+"}[5m]))', '{{instance}}']],
  },
  {
    title: 'CPU',
    about: 'Of each process; 1 is one core.',
    unit: 'percentunit',
    queries: [['rate(process_cpu_seconds_total{job=~"tidings-.+"}[5m])', '{{instance}}']],
  },
  {
    title: 'Event-loop lag, p99',
    about: 'Above 0.5 s every request waits.',
    unit: 's',
    queries: [['nodejs_eventloop_lag_p99_seconds{job=~"tidings-.+"}', '{{instance}}']],
  },
  {
    title: 'Memory',
    about: 'Resident memory of each process.',
    unit: 'bytes',
    queries: [['process_resident_memory_bytes{job=~"tidings-.+"}', '{{instance}}']],
  },
  {
    title: 'Free disk',
    about: 'Free share of the disk of DATA_DIR. Below 5 % an alert fires.',
    unit: 'percentunit',
    queries: [['tidings_data_dir_free_bytes / tidings_data_dir_size_bytes', '{{instance}}']],
  },
  {
    title: 'Clocks',
    about: 'Difference from the clock of PostgreSQL. Above 5 s an alert fires.',
    unit: 's',
    queries: [['abs(tidings_clock_offset_seconds)', '{{instance}}']],
  },
];
