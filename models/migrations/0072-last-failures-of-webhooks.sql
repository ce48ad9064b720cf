-- When the last scheduled attempt failed. Two failures with a long time between them are not one time of failing.
ALTER TABLE webhooks ADD COLUMN failed_at timestamptz;
