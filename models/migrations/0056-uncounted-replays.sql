-- Null: too many deliveries to count them.
ALTER TABLE replays ALTER COLUMN matched DROP NOT NULL;
