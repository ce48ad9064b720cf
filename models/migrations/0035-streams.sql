-- Events of a workspace are written for its streams too: while one is open, and an hour longer, so that a viewer can resume.
CREATE TABLE streamed_workspaces (
  workspace_id uuid PRIMARY KEY REFERENCES workspaces ON DELETE CASCADE,
  since        timestamptz NOT NULL, -- from here on, every event was written
  until        timestamptz NOT NULL
) WITH (fillfactor = 50);

-- One row for each open stream. Its process renews it, so that those of a process that was killed stop counting soon.
CREATE TABLE open_streams (
  id           uuid PRIMARY KEY,
  workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  expires_at   timestamptz NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX open_streams_workspace ON open_streams (workspace_id);

-- The transaction that wrote the event; null: no stream may want it. Transactions commit in another order than `seq` numbers their events.
ALTER TABLE events ADD COLUMN streamed_in xid8;
