-- What is personal in a message is erased when it is old, or when its recipient asks for it; the row stays.
ALTER TABLE messages ADD COLUMN erased_at timestamptz;

-- Keys of the installation, encrypted with SECRET_KEY. `erasure` makes the digests that stand in the place of erased recipients.
CREATE TABLE installation_keys (
  name   text PRIMARY KEY,
  sealed bytea NOT NULL
);

-- Somebody is to be forgotten. `place` is the message down to which all were looked at, from the newest on; null at first.
CREATE TABLE erasures (
  id           uuid PRIMARY KEY,
  workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  recipient    text,                       -- null when it is done
  status       text NOT NULL CHECK (status IN ('running', 'completed')),
  messages     integer NOT NULL DEFAULT 0, -- erased so far
  place        uuid,
  walked_at    timestamptz,                -- all were looked at; what is still open waits in `erasure_queue`
  created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  completed_at timestamptz
);
CREATE INDEX erasures_running ON erasures (workspace_id, id) WHERE status = 'running';

-- Messages that could not be erased yet because they, or their events, are under way. Age has no erasure: its id is nil.
CREATE TABLE erasure_queue (
  erasure_id uuid NOT NULL,
  message_id uuid NOT NULL,
  look_at    timestamptz NOT NULL,
  PRIMARY KEY (erasure_id, message_id)
);
CREATE INDEX erasure_queue_look ON erasure_queue (erasure_id, look_at, message_id);

-- Up to where rows were erased by their age: those of one workspace, or, with the nil id, of all.
CREATE TABLE erasure_places (
  workspace_id uuid NOT NULL,
  kind         text NOT NULL CHECK (kind IN ('messages', 'batches', 'reports')),
  place        uuid NOT NULL,
  PRIMARY KEY (workspace_id, kind)
);
CREATE INDEX workspaces_message_days ON workspaces (id) WHERE message_days > 0;
