-- The order of events and deliveries is that of these sequences: an id begins with the clock of the process that made it, and clocks differ.
-- Rows from before have 0 and are ordered by their ids. A constant default and a later change of it rewrite no table.
CREATE SEQUENCE events_seq;
CREATE SEQUENCE deliveries_seq;
ALTER TABLE events ADD COLUMN seq bigint NOT NULL DEFAULT 0;
ALTER TABLE deliveries ADD COLUMN seq bigint NOT NULL DEFAULT 0;
ALTER SEQUENCE events_seq OWNED BY events.seq;
ALTER SEQUENCE deliveries_seq OWNED BY deliveries.seq;
-- now() is the start of a transaction, which may have waited for one that began later.
ALTER TABLE events
  ALTER COLUMN seq SET DEFAULT nextval('events_seq'),
  ALTER COLUMN created_at SET DEFAULT clock_timestamp();
ALTER TABLE deliveries
  ALTER COLUMN seq SET DEFAULT nextval('deliveries_seq'),
  ALTER COLUMN created_at SET DEFAULT clock_timestamp();

-- A change of a webhook that concerns all of its pending deliveries, perhaps a million, is written to its row alone and counts at once. Each
-- delivery bears the revision of the webhook that it takes into account; the others are settled page by page afterwards.
ALTER TABLE webhooks
  ADD COLUMN revision         integer NOT NULL DEFAULT 0, -- raised by each such change
  ADD COLUMN held_revision    integer NOT NULL DEFAULT 0, -- pending deliveries of an earlier revision are held
  ADD COLUMN settled_revision integer NOT NULL DEFAULT 0; -- no delivery has to be settled for this one any more
ALTER TABLE deliveries ADD COLUMN webhook_revision integer NOT NULL DEFAULT 0;
UPDATE webhooks SET revision = 1, held_revision = 1 WHERE NOT is_active;
CREATE INDEX webhooks_unsettled ON webhooks (id) WHERE settled_revision < revision;
