-- no transaction: messages stay writable while the indexes are built
-- Filters of the message list that find few of many messages. No index names `status` or `delivered_at`: the update to `delivered` would then
-- write every index of the table again, because PostgreSQL could no longer keep the new version of the row in its page (HOT).
DROP INDEX CONCURRENTLY IF EXISTS messages_reference;
CREATE INDEX CONCURRENTLY messages_reference ON messages (workspace_id, reference, id DESC) WHERE reference IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS messages_channel;
CREATE INDEX CONCURRENTLY messages_channel ON messages (workspace_id, channel, id DESC);
DROP INDEX CONCURRENTLY IF EXISTS messages_failed;
CREATE INDEX CONCURRENTLY messages_failed ON messages (workspace_id, id DESC) WHERE failed_at IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS messages_read;
CREATE INDEX CONCURRENTLY messages_read ON messages (workspace_id, id DESC) WHERE read_at IS NOT NULL;
-- The update to `sent` writes every index in any case: it sets the provider's id.
DROP INDEX CONCURRENTLY IF EXISTS messages_queued;
CREATE INDEX CONCURRENTLY messages_queued ON messages (workspace_id, id DESC) WHERE sent_at IS NULL AND failed_at IS NULL;
