-- What the watcher repairs stands in queues of the database: each open row says when the watcher looks at it next. One index entry for
-- an open row replaces scans of everything undecided. The defaults are constants to ALTER TABLE: no table is rewritten.
SET LOCAL statement_timeout = 0; -- the indexes of long tables take minutes

-- A group that is not closed by then is looked at: it is fenced, driven on, decided or closed, or it waits rightly and is looked at later.
ALTER TABLE message_groups ADD COLUMN look_at timestamptz NOT NULL DEFAULT now() + interval '60 seconds';
DROP INDEX message_groups_open;
CREATE INDEX message_groups_look ON message_groups (look_at) WHERE closed_at IS NULL;
DROP INDEX messages_undecided; -- nobody else used it

-- `changed_at`: when it was resumed or cancelled last. Its pages are told again for a while, in case the first signal was lost.
ALTER TABLE batches
  ADD COLUMN look_at timestamptz NOT NULL DEFAULT now() + interval '120 seconds',
  ADD COLUMN changed_at timestamptz;
CREATE INDEX batches_look ON batches (look_at) WHERE completed_at IS NULL;

ALTER TABLE mails ADD COLUMN look_at timestamptz NOT NULL DEFAULT now() + interval '60 seconds';
DROP INDEX mails_unsent;
CREATE INDEX mails_look ON mails (look_at) WHERE sent_at IS NULL AND refused_code IS NULL;

-- Deliveries of carriers wait rightly by the million; theirs are found by their webhook.
DROP INDEX deliveries_due;
CREATE INDEX deliveries_due ON deliveries (next_attempt_at, id) WHERE status = 'pending' AND NOT carried;

-- One row: the last round of the watcher that came to its end.
CREATE TABLE watcher (
  only_row   boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  round_at   timestamptz NOT NULL,
  failing    text[] NOT NULL DEFAULT '{}' -- steps of that round that failed
);

-- How far the ledger of a workspace was compared with its balance: entry by entry up to `number`, where the balance was `balance`.
CREATE TABLE ledger_marks (
  workspace_id uuid PRIMARY KEY REFERENCES workspaces ON DELETE CASCADE,
  number       bigint NOT NULL,
  balance      bigint NOT NULL
) WITH (fillfactor = 50);

-- Audits of all books, one after the other: each goes on from `place` in bounded pieces.
CREATE TABLE audits (
  day         date PRIMARY KEY,
  step        text NOT NULL,
  place       json,
  differences integer NOT NULL DEFAULT 0,
  began_at    timestamptz NOT NULL DEFAULT now(),
  ended_at    timestamptz
);
