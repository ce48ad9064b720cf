-- Each time PostgreSQL was restored to an earlier moment, `as_of`, and brought into line with what happened since.
CREATE TABLE recoveries (
  id         uuid PRIMARY KEY,
  as_of      timestamptz NOT NULL UNIQUE,
  stopped_at timestamptz NOT NULL, -- by then the last worker had stopped: no hand-off is later
  began_at   timestamptz NOT NULL DEFAULT now(), -- what was created later was not restored
  marked_at  timestamptz -- everything was looked at; null: it was interrupted
);

-- What a recovery has touched. The rows stay when their messages go, so there is no foreign key.
CREATE TABLE recovery_messages (
  recovery_id uuid NOT NULL REFERENCES recoveries,
  message_id  uuid NOT NULL,
  -- uncertain: perhaps handed off. awaiting_report: its report may have been lost. fallback: its next step was perhaps sent.
  kind        text NOT NULL CHECK (kind IN ('uncertain', 'awaiting_report', 'fallback')),
  asked_at    timestamptz, -- its provider was asked
  PRIMARY KEY (recovery_id, kind, message_id)
);
CREATE INDEX recovery_messages_unasked ON recovery_messages (recovery_id, message_id) WHERE kind = 'awaiting_report' AND asked_at IS NULL;

-- `unknown`: whether the next step was sent is not known.
ALTER TABLE fallbacks DROP CONSTRAINT fallbacks_outcome_check;
ALTER TABLE fallbacks ADD CONSTRAINT fallbacks_outcome_check CHECK (outcome IN ('sent', 'not_needed', 'unaffordable', 'unknown')) NOT VALID;
