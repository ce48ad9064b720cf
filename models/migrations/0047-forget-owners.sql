-- no transaction: workspaces stay writable while the index is built
-- Closed workspaces that were settled before their owners were forgotten are settled once more.
DROP INDEX CONCURRENTLY IF EXISTS workspaces_unforgotten;
CREATE INDEX CONCURRENTLY workspaces_unforgotten ON workspaces (closed_at) WHERE closed_at IS NOT NULL AND forgotten_at IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS workspaces_closing;
