-- A bulk send: one debit for all its messages, which are driven page by page. A page is a message group.
CREATE TABLE batches (
  id              uuid PRIMARY KEY,
  workspace_id    uuid NOT NULL REFERENCES workspaces,
  channel         text NOT NULL CHECK (channel IN ('sms', 'whatsapp', 'email')),
  -- `accepting` is never shown; `scheduled` is shown while scheduled_at lies ahead
  status          text NOT NULL CHECK (status IN ('accepting', 'sending', 'paused', 'completed', 'cancelled')),
  total           integer NOT NULL,
  accepted        integer NOT NULL CHECK (accepted > 0),
  invalid         integer NOT NULL DEFAULT 0,
  errors          json NOT NULL DEFAULT '[]',
  cost            bigint NOT NULL CHECK (cost > 0),
  rate            double precision CHECK (rate > 0),
  next_slot_at    timestamptz NOT NULL DEFAULT now(),
  idempotency_key text,
  request_digest  bytea,
  scheduled_at    timestamptz,
  created_at      timestamptz NOT NULL DEFAULT now(),
  completed_at    timestamptz
) WITH (fillfactor = 70);
CREATE INDEX batches_workspace ON batches (workspace_id, id DESC);
CREATE UNIQUE INDEX batches_idempotency ON batches (workspace_id, idempotency_key) WHERE idempotency_key IS NOT NULL;

ALTER TABLE messages ADD FOREIGN KEY (batch_id) REFERENCES batches;
CREATE INDEX messages_batch ON messages (batch_id, id DESC) WHERE batch_id IS NOT NULL;

-- Pages of a batch in their order; `announced_at`: its message.queued events are written.
ALTER TABLE message_groups ADD COLUMN batch_id uuid REFERENCES batches, ADD COLUMN page integer, ADD COLUMN announced_at timestamptz;
CREATE UNIQUE INDEX message_groups_page ON message_groups (batch_id, page) WHERE batch_id IS NOT NULL;
