-- When a report was put back into the inbox. Its age there counts from then on, not from its first reception.
ALTER TABLE delivery_reports ADD COLUMN IF NOT EXISTS reopened_at timestamptz;
