-- How an owner wants deliveries made, and how the endpoint has been doing: one row a webhook, shared by all workers.
ALTER TABLE webhooks
  ADD COLUMN retry_delays     integer[],        -- seconds before each further attempt; null: as the setting says
  ADD COLUMN rate             double precision CHECK (rate > 0), -- deliveries a second; null: as fast as it answers
  ADD COLUMN ordered          boolean NOT NULL DEFAULT false,    -- one delivery at a time, in the order of the events
  ADD COLUMN failures         integer NOT NULL DEFAULT 0,        -- events in a row whose first attempt failed
  ADD COLUMN failing_since    timestamptz,      -- nothing was acknowledged since; null while all is well
  ADD COLUMN resume_at        timestamptz,      -- nothing goes out before: the breaker is open, or the endpoint asked for a pause
  ADD COLUMN pause_seconds    double precision, -- the last pause of the breaker; null while it is closed
  ADD COLUMN carrier_looks_at timestamptz;      -- when its carrier looks for due deliveries again; null: there is no carrier

-- Attempted by the carrier of their webhook, and by nobody else.
ALTER TABLE deliveries ADD COLUMN carried boolean NOT NULL DEFAULT false;
CREATE INDEX deliveries_carried ON deliveries (webhook_id, next_attempt_at, id) WHERE status = 'pending' AND carried;
