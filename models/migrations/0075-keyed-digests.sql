-- no transaction: batches stay writable while the index is built
-- The digests of requests that a sweep has still to key. They are those of the last day.
DROP INDEX CONCURRENTLY IF EXISTS batches_plain_digests;
CREATE INDEX CONCURRENTLY batches_plain_digests ON batches (id) WHERE octet_length(request_digest) = 32;
