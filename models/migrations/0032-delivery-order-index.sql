-- no transaction: deliveries stay writable while the index is built
-- An event waits for the earlier events of its message to the same webhook. With the group alone each look read all that the group has open.
DROP INDEX CONCURRENTLY IF EXISTS deliveries_group_order;
CREATE INDEX CONCURRENTLY deliveries_group_order ON deliveries (group_id, webhook_id, message_id) WHERE status = 'pending';
DROP INDEX CONCURRENTLY IF EXISTS deliveries_group;
