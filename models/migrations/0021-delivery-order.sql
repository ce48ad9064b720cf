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
