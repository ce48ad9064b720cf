/** A migration that takes as long as one of a large table. */
import type { Database } from '../../models/db/database.js';
import { rows } from './database.js';
import { buildWorkspace } from './rows/factories.js';

/** Moves rows in a transaction. It can run a second time. */
export const moveOfRows = '0052b-move-suppressions-by-recipients.sql';

const slowTrigger = (seconds: number) => `DO $$ BEGIN
  CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(${seconds}); RETURN OLD; END';
  CREATE TRIGGER slow BEFORE DELETE ON suppressions FOR EACH ROW EXECUTE FUNCTION slow();
  ALTER TABLE suppressions DISABLE TRIGGER suppression_by_recipient;
END $$`;
const entry = `
  INSERT INTO suppressions (id, workspace_id, channel, recipient, reason, source)
  VALUES (gen_random_uuid(), $1, 'sms', '+15551234567', 'opt_out', 'inbound')`;

/** Makes the migration due again, for one row whose move takes so long. Call it while this pool is the only one: it has the models. */
export async function buildSlowMove(db: Database, seconds: number): Promise<void> {
  const { id } = await buildWorkspace(db);
  await rows(db, slowTrigger(seconds));
  await rows(db, entry, [id]);
  await rows(db, 'ALTER TABLE suppressions ENABLE TRIGGER suppression_by_recipient');
  await rows(db, 'DELETE FROM schema_migrations WHERE name = $1', [moveOfRows]);
}
