-- Which claim wrote an attempt: a claim whose answer was lost can find its attempts, of which none was called, and close them.
ALTER TABLE send_attempts ADD COLUMN IF NOT EXISTS claim_id uuid;
-- When an uncertain hand-off is given up; null: started_at plus UNKNOWN_HANDOFF_TIMEOUT.
ALTER TABLE send_attempts ADD COLUMN IF NOT EXISTS give_up_at timestamptz;
