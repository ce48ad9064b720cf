-- Apart from the new columns, whose locks would else last as long as these are built. Meanwhile rows can be read, not written.
SET LOCAL statement_timeout = 0;
-- Lists run from the newest, replays from the oldest on.
CREATE INDEX deliveries_created ON deliveries (webhook_id, created_at);
CREATE INDEX deliveries_undelivered_created ON deliveries (webhook_id, created_at) WHERE status IN ('failed', 'held');
-- What a carrier attempts: by its time, and of an ordered webhook from the head of its line on.
CREATE INDEX deliveries_carried_due ON deliveries (webhook_id, next_attempt_at, seq) WHERE status = 'pending' AND carried;
CREATE INDEX deliveries_line ON deliveries (webhook_id, seq, id) WHERE status = 'pending' AND carried;
-- Those of a webhook that no carrier attempts, to be settled when it changes.
CREATE INDEX deliveries_uncarried ON deliveries (webhook_id, next_attempt_at) WHERE status = 'pending' AND NOT carried;
DROP INDEX deliveries_webhook, deliveries_undelivered, deliveries_carried;
