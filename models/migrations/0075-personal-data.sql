-- no transaction: tables stay writable while their indexes are built
-- The digests of requests that a sweep has still to key. They are those of the last day.
DROP INDEX CONCURRENTLY IF EXISTS batches_plain_digests;
CREATE INDEX CONCURRENTLY batches_plain_digests ON batches (id) WHERE octet_length(request_digest) = 32;
-- Expired suppressions are deleted. Those that recipients made do not expire.
DROP INDEX CONCURRENTLY IF EXISTS suppressions_expiring;
CREATE INDEX CONCURRENTLY suppressions_expiring ON suppressions (expires_at) WHERE expires_at IS NOT NULL;
-- Suspensions of closed accounts, which were settled before the reason was removed with the owner's data. It may name the owner.
UPDATE suspensions s SET reason = '' FROM workspaces w WHERE w.id = s.workspace_id AND w.forgotten_at IS NOT NULL AND s.reason <> '';
