-- The time up to which the turns of a webhook with a rate are taken. Its retrier, its replays and requested attempts take them from here, in
-- whichever process they run. A column without a default is added without a scan or rewrite of the table.
ALTER TABLE webhooks ADD COLUMN paced_until timestamptz;
