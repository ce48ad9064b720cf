-- The replay that made an attempt. Null for all other attempts, and for those of the former version. Replays of the same deliveries may
-- overlap; each counts its own attempts. A column without a default is added without a scan or rewrite of the table.
ALTER TABLE delivery_attempts ADD COLUMN replay_id uuid;
