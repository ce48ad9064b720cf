-- no transaction: tables stay writable while their indexes are built
-- The digests of requests that a sweep has still to key. They are those of the last day.
DROP INDEX CONCURRENTLY IF EXISTS batches_plain_digests;
CREATE INDEX CONCURRENTLY batches_plain_digests ON batches (id) WHERE octet_length(request_digest) = 32;
-- Expired suppressions are deleted. Those that recipients made do not expire.
DROP INDEX CONCURRENTLY IF EXISTS suppressions_expiring;
CREATE INDEX CONCURRENTLY suppressions_expiring ON suppressions (expires_at) WHERE expires_at IS NOT NULL;
-- Suspensions of closed accounts, which were settled before the reason was removed with the owner's data. It may name the owner.
UPDATE suspensions s SET reason = '' FROM workspaces w WHERE w.id = s.workspace_id AND w.forgotten_at IS NOT NULL AND s.reason <> '';
-- Messages whose chain lost recipients by erasures of the former version, which kept the SHA-256 of all recipients: it would show by trials who was
-- erased. Only a process has the key that makes it keyed, so it is removed: a repeat of the request gets 422, as for an erased message. Two kinds
-- cannot be found, and stay until their message is erased: an open chain that was cut before the step, and what workers of the former version
-- erase after this statement.
UPDATE messages SET request_digest = NULL WHERE id IN (
  SELECT m.id FROM fallbacks f JOIN messages m ON m.id = f.message_id
  WHERE octet_length(m.request_digest) = 32 AND EXISTS (SELECT 1 FROM json_array_elements(f.steps) s WHERE s ->> 'to' IS NULL)
  ORDER BY m.id FOR NO KEY UPDATE OF m);
