-- Who must not be written to: refused before hand-off. `recipient` is in lower case on the channel email.
CREATE TABLE suppressions (
  id           uuid PRIMARY KEY,
  workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  channel      text NOT NULL CHECK (channel IN ('sms', 'whatsapp', 'email')),
  recipient    text NOT NULL,
  reason       text NOT NULL CHECK (reason IN ('opt_out', 'complaint', 'bounce', 'manual')),
  source       text NOT NULL CHECK (source IN ('api', 'inbound', 'provider', 'report', 'unsubscribe')),
  message_id   uuid, -- the message that it is about, where there is one
  expires_at   timestamptz,
  created_at   timestamptz NOT NULL DEFAULT now(),
  UNIQUE (workspace_id, channel, recipient)
);
CREATE INDEX suppressions_workspace ON suppressions (workspace_id, id DESC);

-- Whom somebody answers who writes STOP; also the filter `to` of the history.
CREATE INDEX messages_to ON messages ("to", workspace_id, id DESC);
