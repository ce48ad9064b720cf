-- How many messages a workspace sent, what became of them, what they cost: sums by hour and by day, so that a year is read without counting
-- messages. A change of a message is noted by a trigger, in the transaction of the change, so that no writer can forget it. The watcher adds
-- the notes to the sums. The notes have no key and no index: they are written with every message, and all of them are read.
CREATE TABLE message_changes (
  workspace_id uuid NOT NULL,
  channel      text NOT NULL,
  at           timestamptz NOT NULL, -- when the message was accepted: it counts there whatever happens later
  messages     smallint NOT NULL,
  delivered    smallint NOT NULL,
  failed       smallint NOT NULL,
  credits      bigint NOT NULL,
  reason       text, -- of a failure
  wait_ms      bigint -- from the time it was due until it was delivered
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);

CREATE TABLE message_rollups (
  workspace_id uuid NOT NULL,
  unit         text NOT NULL, -- hour or day (UTC)
  at           timestamptz NOT NULL,
  channel      text NOT NULL,
  measure      text NOT NULL, -- messages, delivered, failed, credits, reason, wait
  key          text NOT NULL, -- the reason of failures; the class of waits, see models/rules/messages/waits.ts; otherwise empty
  count        bigint NOT NULL,
  PRIMARY KEY (workspace_id, unit, at, channel, measure, key)
) WITH (fillfactor = 80);

-- A message that is read was delivered before, or is delivered by that. A delivery may correct a failure.
CREATE FUNCTION note_message_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  arrives boolean := NEW.status IN ('delivered', 'read');
  corrects boolean := OLD.status = 'failed';
BEGIN
  INSERT INTO message_changes (workspace_id, channel, at, messages, delivered, failed, credits, reason, wait_ms) VALUES (
    NEW.workspace_id, NEW.channel, NEW.created_at,
    (OLD.status = 'accepting')::integer,
    arrives::integer,
    (NEW.status = 'failed')::integer - corrects::integer,
    NEW.credits_used - OLD.credits_used,
    CASE WHEN corrects THEN OLD.error_code ELSE NEW.error_code END,
    CASE WHEN arrives THEN GREATEST(0, extract(epoch FROM NEW.delivered_at - GREATEST(NEW.created_at, NEW.scheduled_at)) * 1000)::bigint END
  );
  RETURN NULL;
END $$;

CREATE TRIGGER message_changed AFTER UPDATE ON messages FOR EACH ROW
  WHEN (OLD.status <> NEW.status AND NEW.status <> 'sent' AND NOT (OLD.status = 'delivered' AND NEW.status = 'read'))
  EXECUTE FUNCTION note_message_change();
