import { type Board, quantile, rate } from './board.js';

export const postgresqlBoard: Board = {
  name: 'postgresql',
  title: 'PostgreSQL',
  panels: [
    {
      title: 'Last read',
      about: 'Age of the values that the API read from the database.',
      unit: 's',
      redFrom: 60,
      queries: [['max(tidings_service_read_age_seconds)', '']],
    },
    {
      title: 'Waiting statements',
      about: 'Statements that wait for a connection now.',
      unit: 'short',
      redFrom: 10,
      queries: [['sum(tidings_database_pool_waiting)', '']],
    },
    {
      title: 'Audit differences',
      about: 'Differences that the last audit of the ledger found. Must be 0.',
      unit: 'short',
      redFrom: 1,
      queries: [['max(tidings_audit_differences)', '']],
    },
    {
      title: 'Last audit',
      about: 'Time since the last audit began; once a day.',
      unit: 's',
      redFrom: 172_800,
      queries: [['max(tidings_audit_age_seconds)', '']],
    },
    {
      title: 'Statements',
      about: 'Statements per second, by process.',
      unit: 'ops',
      queries: [[rate('tidings_database_statement_seconds_count', ['instance']), '{{instance}}']],
    },
    {
      title: 'Time of a statement',
      about: 'Without the wait for a connection. p95 is usually below 10 ms.',
      unit: 's',
      queries: [
        [quantile(0.5, 'tidings_database_statement_seconds'), 'p50'],
        [quantile(0.95, 'tidings_database_statement_seconds'), 'p95'],
        [quantile(0.99, 'tidings_database_statement_seconds'), 'p99'],
      ],
    },
    {
      title: 'Slow statements',
      about: 'Statements per second that took more than 0.5 s, by process. Usually 0. Most of them wait for a lock or for the disk.',
      unit: 'ops',
      queries: [
        [
          'sum by (instance) (rate(tidings_database_statement_seconds_count[5m])) - sum by (instance) (rate(tidings_database_statement_seconds_bucket{le="0.5"}[5m]))',
          '{{instance}}',
        ],
      ],
    },
    {
      title: 'Queue for a connection',
      about: 'Statements that wait for a connection now, by process. Usually 0.',
      unit: 'short',
      queries: [['sum by (instance) (tidings_database_pool_waiting)', '{{instance}}']],
    },
    {
      title: 'Wait for a connection, p95',
      about: 'By process. After 5 s a statement fails.',
      unit: 's',
      queries: [[quantile(0.95, 'tidings_database_pool_wait_seconds', ['instance']), '{{instance}}']],
    },
    {
      title: 'Connections',
      about: 'In use, by process, and how many each process may open.',
      unit: 'short',
      queries: [
        ['sum by (instance) (tidings_database_connections{state="used"})', '{{instance}}'],
        ['max(tidings_database_connections_max)', 'maximum of a process'],
      ],
    },
    {
      title: 'Failed statements',
      about: 'By kind. Some of "other" are normal: the database refuses what is repeated.',
      unit: 'ops',
      queries: [[rate('tidings_database_errors_total', ['kind']), '{{kind}}']],
    },
    { title: 'Unsent mails', about: 'Account mails that wait.', unit: 'short', queries: [['max(tidings_mails_unsent)', 'mails']] },
  ],
};
