-- When a replay moved last: one that runs and has not moved for long is driven by nobody.
ALTER TABLE replays ADD COLUMN progress_at timestamptz NOT NULL DEFAULT now();
DROP INDEX replays_running;
CREATE INDEX replays_running ON replays (progress_at) WHERE status = 'running';
