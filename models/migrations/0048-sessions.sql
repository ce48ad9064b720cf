-- The open sessions of a workspace, as its owner sees them: one row for each JWT and each session of the console, until it ends. What was issued
-- before this table has no row, and stays valid. No index names `last_used_at`, so that its update writes no index.
CREATE TABLE sessions (
  id            uuid PRIMARY KEY, -- of the token
  workspace_id  uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  kind          text NOT NULL CHECK (kind IN ('jwt', 'console')),
  token_version integer NOT NULL, -- of the workspace, at that time: sessions of an older version have ended
  created_at    timestamptz NOT NULL DEFAULT now(),
  expires_at    timestamptz NOT NULL,
  last_used_at  timestamptz, -- to the minute
  address       text, -- of the client that logged in
  user_agent    text
);
CREATE INDEX sessions_workspace ON sessions (workspace_id, id DESC);
CREATE INDEX sessions_expired ON sessions (expires_at);
