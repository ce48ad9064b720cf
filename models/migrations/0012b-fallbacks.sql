-- What is sent instead when a message does not arrive: the steps that are left of its chain, and the message that became of the first.
CREATE TABLE fallbacks (
  message_id uuid PRIMARY KEY REFERENCES messages ON DELETE CASCADE,
  steps      json NOT NULL,
  due_at     timestamptz NOT NULL, -- not delivered by then: the next step begins
  outcome    text CHECK (outcome IN ('sent', 'not_needed', 'unaffordable')),
  next_id    uuid UNIQUE REFERENCES messages,
  decided_at timestamptz
);
CREATE INDEX fallbacks_due ON fallbacks (due_at) WHERE outcome IS NULL;

-- A step that costs no more than what its chain has been charged costs nothing.
ALTER TABLE messages DROP CONSTRAINT messages_cost_check, ADD CONSTRAINT messages_cost_check CHECK (cost >= 0);
