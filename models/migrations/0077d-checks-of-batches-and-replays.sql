-- The watcher looks only at batches without a time of completion. A cancelled batch gets it when none of its messages is queued.
ALTER TABLE batches ADD CONSTRAINT batches_completed_at_check CHECK (CASE status
  WHEN 'completed' THEN completed_at IS NOT NULL
  WHEN 'cancelled' THEN true
  ELSE completed_at IS NULL END) NOT VALID;
ALTER TABLE replays ADD CONSTRAINT replays_ended_at_check CHECK ((status = 'running') = (ended_at IS NULL)) NOT VALID;
