-- The retrier and the watcher find pending deliveries by the time of the next attempt.
ALTER TABLE deliveries ADD CONSTRAINT deliveries_next_attempt_at_check CHECK (status <> 'pending' OR next_attempt_at IS NOT NULL) NOT VALID;
