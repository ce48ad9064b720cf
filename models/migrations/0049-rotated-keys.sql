-- When a key expired before its first rotation, which makes it expire with the overlap. Another rotation gives the new key the lifetime that
-- the owner chose. Columns without a default are added without a scan or rewrite of the table.
ALTER TABLE api_keys
  ADD COLUMN rotated_at timestamptz, -- its first rotation
  ADD COLUMN chosen_expires_at timestamptz; -- null also for a key that never expired
