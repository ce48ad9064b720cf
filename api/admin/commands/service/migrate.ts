import type { Command } from '../../command.js';

export const migrateCommand: Command = {
  name: 'migrate',
  takes: [],
  settings: ['DATABASE_URL'],
  summary: 'Bring the database to the newest schema, and grant the role of the program its privileges.',
  async run(_given, { config }) {
    const { migrateWith } = await import('../../../../models/migrate.js'); // no other command needs its library
    const applied = await migrateWith(config);
    return { ok: true, text: applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`, data: { applied } };
  },
};
