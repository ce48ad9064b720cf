-- A batch is stored by one transaction that may commit after an erasure has looked for messages. The erasure looks again when every transaction
-- that was open at the end of its first walk has ended.
ALTER TABLE erasures
  ADD COLUMN rewalk_after xid8, -- the transactions that were open then have lower numbers
  ADD COLUMN rewalked_at  timestamptz;
UPDATE erasures SET place = 'ffffffff-ffff-ffff-ffff-ffffffffffff' WHERE status = 'running' AND walked_at IS NOT NULL;

-- Old batches that could not be erased yet because they were open or locked.
CREATE TABLE erasure_batches (
  batch_id uuid PRIMARY KEY,
  look_at  timestamptz NOT NULL
);
CREATE INDEX erasure_batches_look ON erasure_batches (look_at, batch_id);
-- Earlier sweeps have passed such batches, and ids of reports that name their recipients. They begin anew.
DELETE FROM erasure_places WHERE kind IN ('batches', 'reports');

-- When what names the owner was removed from all that stays of a closed workspace.
ALTER TABLE workspaces ADD COLUMN forgotten_at timestamptz;
