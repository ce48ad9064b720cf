-- no transaction: events stay writable while the indexes are built
-- What a snapshot did not show yet, of the workspaces that are watched now. Events without a stream are in neither index.
DROP INDEX CONCURRENTLY IF EXISTS events_streamed_in;
CREATE INDEX CONCURRENTLY events_streamed_in ON events (workspace_id, streamed_in, seq) WHERE streamed_in IS NOT NULL;
-- The events of one workspace in their order, page by page, for a viewer that resumes.
DROP INDEX CONCURRENTLY IF EXISTS events_streamed_seq;
CREATE INDEX CONCURRENTLY events_streamed_seq ON events (workspace_id, seq, streamed_in) WHERE streamed_in IS NOT NULL;
