-- What was done to an account, by whom, and from where: written in the transaction of what it tells, and never changed afterwards.
-- The rows stay when what they tell of goes, so there is no foreign key.
CREATE TABLE audit_events (
  id           uuid PRIMARY KEY,
  workspace_id uuid NOT NULL,
  type         text NOT NULL,
  at           timestamptz NOT NULL DEFAULT clock_timestamp(),
  actor_type   text NOT NULL CHECK (actor_type IN ('user', 'api_key', 'system')),
  actor_id     uuid,
  actor_name   text,
  address      text,
  user_agent   text,
  request_id   text,
  target_type  text,
  target_id    uuid,
  target_name  text,
  changes      jsonb
);
CREATE INDEX audit_events_workspace ON audit_events (workspace_id, at DESC, id DESC);
