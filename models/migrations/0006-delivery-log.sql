-- What an attempt sent and got: header values as text, secrets masked; `timings` in milliseconds.
ALTER TABLE delivery_attempts
  ADD COLUMN url text, ADD COLUMN request_headers json, ADD COLUMN response_headers json, ADD COLUMN timings json,
  ADD COLUMN remote_address text;

-- The same uniqueness, in the order that deleting an event needs.
ALTER TABLE deliveries DROP CONSTRAINT deliveries_webhook_id_event_id_key, ADD UNIQUE (event_id, webhook_id);
-- The undelivered ones of a webhook are few among many.
CREATE INDEX deliveries_undelivered ON deliveries (webhook_id, id) WHERE status IN ('failed', 'held');

-- A replay that an owner asked for, and how far it came. `reached` is the last delivery that it is done with.
CREATE TABLE replays (
  id           uuid PRIMARY KEY,
  webhook_id   uuid NOT NULL REFERENCES webhooks ON DELETE CASCADE,
  status       text NOT NULL CHECK (status IN ('running', 'completed', 'cancelled', 'stopped')),
  since        timestamptz NOT NULL,
  until        timestamptz NOT NULL,
  statuses     text[] NOT NULL,
  matched      integer NOT NULL,
  attempted    integer NOT NULL DEFAULT 0,
  acknowledged integer NOT NULL DEFAULT 0,
  reached      uuid,
  created_at   timestamptz NOT NULL DEFAULT now(),
  ended_at     timestamptz
) WITH (fillfactor = 70);
CREATE INDEX replays_webhook ON replays (webhook_id, id DESC);
CREATE INDEX replays_running ON replays (id) WHERE status = 'running';

-- Seeds of ed25519 key pairs, encrypted like the secrets and rotated with them.
ALTER TABLE webhooks ADD COLUMN signing_key bytea, ADD COLUMN old_signing_key bytea;

-- Bodies are forgotten before their deliveries; where a sweep ended the next one begins.
ALTER TABLE events ALTER COLUMN body DROP NOT NULL;
CREATE TABLE retention_sweeps (
  kind     text PRIMARY KEY CHECK (kind IN ('bodies', 'attempts')),
  swept_to uuid NOT NULL
);
