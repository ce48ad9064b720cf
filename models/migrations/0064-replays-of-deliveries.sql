-- The replay that has given a delivery its retry schedule, null where none has. A replay claims each delivery just before its attempt; if its
-- worker dies then, it takes up its own claims only. A column without a default is added without a scan or rewrite of the table.
ALTER TABLE deliveries ADD COLUMN replay_id uuid;
