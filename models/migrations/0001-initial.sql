-- Amounts are integers in thousandths of a credit. Ids are UUIDv7, made by the program, so they sort by time.

CREATE TABLE workspaces (
  id             uuid PRIMARY KEY,
  name           text NOT NULL,
  email          text NOT NULL,
  password_hash  text NOT NULL,
  phone          text,
  country        text,
  email_verified boolean NOT NULL DEFAULT false,
  token_version  integer NOT NULL DEFAULT 0,
  balance        bigint NOT NULL DEFAULT 0 CHECK (balance >= 0),
  created_at     timestamptz NOT NULL DEFAULT now(),
  updated_at     timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50); -- the balance changes often: room for heap-only updates
CREATE UNIQUE INDEX workspaces_email ON workspaces (lower(email));

-- The ledger: append-only, every cause posts once, the balance is always the sum of its rows.
CREATE TABLE credit_entries (
  id            uuid PRIMARY KEY,
  workspace_id  uuid NOT NULL REFERENCES workspaces,
  kind          text NOT NULL CHECK (kind IN ('purchase', 'debit', 'refund', 'grant', 'adjustment')),
  amount        bigint NOT NULL CHECK (amount <> 0),
  balance_after bigint NOT NULL CHECK (balance_after >= 0),
  reference     text NOT NULL,
  description   text NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now(),
  UNIQUE (kind, reference)
);
CREATE INDEX credit_entries_workspace ON credit_entries (workspace_id, id DESC);

CREATE FUNCTION refuse_ledger_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'credit_entries is append-only: post an adjustment instead';
END $$;
CREATE TRIGGER credit_entries_append_only BEFORE UPDATE OR DELETE ON credit_entries
  FOR EACH ROW EXECUTE FUNCTION refuse_ledger_change();
CREATE TRIGGER credit_entries_not_truncated BEFORE TRUNCATE ON credit_entries
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_ledger_change();

-- Single-use tokens of mails. The token itself is derived from the id and SECRET_KEY; only its hash is kept.
CREATE TABLE mail_tokens (
  id           uuid PRIMARY KEY,
  workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  purpose      text NOT NULL CHECK (purpose IN ('verify', 'reset')),
  digest       bytea NOT NULL UNIQUE,
  expires_at   timestamptz NOT NULL,
  used_at      timestamptz,
  created_at   timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX mail_tokens_workspace ON mail_tokens (workspace_id, purpose) WHERE used_at IS NULL;

CREATE TABLE mails (
  id           uuid PRIMARY KEY,
  workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  kind         text NOT NULL,
  token_id     uuid REFERENCES mail_tokens ON DELETE CASCADE,
  detail       json,
  created_at   timestamptz NOT NULL DEFAULT now(),
  sent_at      timestamptz,
  refused_code integer -- what the mail server said when it refused the mail for good
);
CREATE INDEX mails_unsent ON mails (created_at) WHERE sent_at IS NULL AND refused_code IS NULL;

CREATE TABLE api_keys (
  id           uuid PRIMARY KEY,
  workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  name         text NOT NULL,
  digest       bytea NOT NULL UNIQUE,
  key_prefix   text NOT NULL,
  scopes       text[] NOT NULL,
  is_active    boolean NOT NULL DEFAULT true,
  last_used_at timestamptz,
  created_at   timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX api_keys_workspace ON api_keys (workspace_id, id DESC);

-- The unit of work: one workflow drives the messages of one group. A single send is a group of one.
CREATE TABLE message_groups (
  id              uuid PRIMARY KEY,
  workflow_id     text NOT NULL,
  reports_pending boolean NOT NULL DEFAULT false,
  created_at      timestamptz NOT NULL DEFAULT now(),
  closed_at       timestamptz
) WITH (fillfactor = 70);

-- `accepting` is never shown: the row waits for its debit and is deleted when it is refused.
CREATE TABLE messages (
  id                  uuid PRIMARY KEY,
  workspace_id        uuid NOT NULL REFERENCES workspaces,
  group_id            uuid NOT NULL REFERENCES message_groups,
  batch_id            uuid,
  channel             text NOT NULL CHECK (channel IN ('sms', 'whatsapp', 'email')),
  "to"                text NOT NULL,
  content             json NOT NULL,
  metadata            json,
  reference           text,
  idempotency_key     text,
  request_digest      bytea,
  status              text NOT NULL CHECK (status IN ('accepting', 'queued', 'sent', 'delivered', 'failed', 'read')),
  status_detail       text NOT NULL CHECK (status_detail IN ('scheduled', 'accepted', 'sending', 'awaiting_report', 'delivered',
                        'read', 'rejected', 'undeliverable', 'expired', 'cancelled', 'suppressed', 'unknown')),
  cost                bigint NOT NULL CHECK (cost > 0),
  credits_used        bigint NOT NULL DEFAULT 0,
  segments            integer,
  encoding            text,
  provider            text,
  provider_message_id text,
  provider_error_code text,
  error_code          text,
  error_message       text,
  scheduled_at        timestamptz,
  expires_at          timestamptz,
  created_at          timestamptz NOT NULL DEFAULT now(),
  sent_at             timestamptz,
  delivered_at        timestamptz,
  failed_at           timestamptz,
  read_at             timestamptz
) WITH (fillfactor = 70);
CREATE INDEX messages_workspace ON messages (workspace_id, id DESC);
CREATE INDEX messages_group ON messages (group_id);
CREATE UNIQUE INDEX messages_idempotency ON messages (workspace_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE UNIQUE INDEX messages_provider ON messages (provider, provider_message_id) WHERE provider_message_id IS NOT NULL;
CREATE INDEX messages_undecided ON messages (id) WHERE status IN ('accepting', 'queued');

-- One row per call to a provider, written before the call: after a crash it says that the outcome is unknown.
CREATE TABLE send_attempts (
  message_id          uuid NOT NULL REFERENCES messages ON DELETE CASCADE,
  number              integer NOT NULL,
  provider            text NOT NULL,
  outcome             text CHECK (outcome IN ('accepted', 'throttled', 'retryable', 'rejected', 'unknown')),
  provider_message_id text,
  detail              text,
  started_at          timestamptz NOT NULL DEFAULT now(),
  finished_at         timestamptz,
  PRIMARY KEY (message_id, number)
);

-- The inbox of delivery reports: stored before they are applied, each statement of a provider once.
CREATE TABLE delivery_reports (
  id                  uuid PRIMARY KEY,
  provider            text NOT NULL,
  provider_message_id text NOT NULL,
  status              text NOT NULL CHECK (status IN ('sent', 'delivered', 'failed', 'read')),
  message_id          uuid,
  provider_error_code text,
  occurred_at         timestamptz NOT NULL,
  received_at         timestamptz NOT NULL DEFAULT now(),
  raw                 text NOT NULL,
  outcome             text CHECK (outcome IN ('applied', 'ignored')),
  applied_at          timestamptz,
  UNIQUE (provider, provider_message_id, status)
);
CREATE INDEX delivery_reports_unapplied ON delivery_reports (message_id) WHERE applied_at IS NULL;

CREATE TABLE webhooks (
  id                  uuid PRIMARY KEY,
  workspace_id        uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  url                 text NOT NULL,
  events              text[] NOT NULL,
  description         text,
  is_active           boolean NOT NULL DEFAULT true,
  disabled_reason     text,
  secret              bytea NOT NULL,
  old_secret          bytea,
  old_secret_until    timestamptz,
  created_at          timestamptz NOT NULL DEFAULT now(),
  updated_at          timestamptz NOT NULL DEFAULT now(),
  deleted_at          timestamptz
);
CREATE INDEX webhooks_workspace ON webhooks (workspace_id, id DESC) WHERE deleted_at IS NULL;

-- An event is the exact bytes that subscribers receive; a delivery is one event on its way to one webhook.
CREATE TABLE events (
  id           uuid PRIMARY KEY,
  workspace_id uuid NOT NULL,
  message_id   uuid,
  type         text NOT NULL,
  body         text NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX events_message ON events (message_id);

CREATE TABLE deliveries (
  id              uuid PRIMARY KEY,
  webhook_id      uuid NOT NULL REFERENCES webhooks ON DELETE CASCADE,
  event_id        uuid NOT NULL REFERENCES events ON DELETE CASCADE,
  event           text NOT NULL,
  message_id      uuid,
  group_id        uuid,
  status          text NOT NULL CHECK (status IN ('pending', 'succeeded', 'failed', 'held')),
  ladder_step     integer NOT NULL DEFAULT 0,
  in_child        boolean NOT NULL DEFAULT false, -- a child workflow carries its attempts
  next_attempt_at timestamptz,
  created_at      timestamptz NOT NULL DEFAULT now(),
  delivered_at    timestamptz,
  UNIQUE (webhook_id, event_id)
) WITH (fillfactor = 70);
CREATE INDEX deliveries_webhook ON deliveries (webhook_id, id DESC);
CREATE INDEX deliveries_group ON deliveries (group_id) WHERE status = 'pending';
CREATE INDEX deliveries_due ON deliveries (next_attempt_at) WHERE status = 'pending';

CREATE TABLE delivery_attempts (
  delivery_id     uuid NOT NULL REFERENCES deliveries ON DELETE CASCADE,
  number          integer NOT NULL,
  at              timestamptz NOT NULL,
  trigger         text NOT NULL CHECK (trigger IN ('scheduled', 'manual', 'replay', 'test')),
  response_status integer,
  error           text,
  duration_ms     integer NOT NULL,
  response_body   text,
  PRIMARY KEY (delivery_id, number)
);

-- The memory of the sandbox provider, as a carrier would have it on its own machines.
CREATE TABLE sandbox_messages (
  id              uuid PRIMARY KEY,
  idempotency_key uuid NOT NULL UNIQUE,
  calls           integer NOT NULL DEFAULT 0
);
CREATE TABLE sandbox_reports (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  sandbox_id uuid NOT NULL REFERENCES sandbox_messages ON DELETE CASCADE,
  status     text NOT NULL,
  error_code text,
  due_at     timestamptz NOT NULL,
  posted_at  timestamptz
);
CREATE INDEX sandbox_reports_due ON sandbox_reports (due_at) WHERE posted_at IS NULL;
