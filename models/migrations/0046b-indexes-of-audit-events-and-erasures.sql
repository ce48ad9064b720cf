-- no transaction: tables stay writable while their indexes are built
-- Audit events are deleted by their age.
DROP INDEX CONCURRENTLY IF EXISTS audit_events_at;
CREATE INDEX CONCURRENTLY audit_events_at ON audit_events (at);
-- An export reads the erasures of its workspace page by page.
DROP INDEX CONCURRENTLY IF EXISTS erasures_workspace;
CREATE INDEX CONCURRENTLY erasures_workspace ON erasures (workspace_id, id);
