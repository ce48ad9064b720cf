-- no transaction: tables stay writable while their indexes are built
-- Letter case does not matter in addresses; those that are written with capitals are few.
DROP INDEX CONCURRENTLY IF EXISTS messages_to_lower;
CREATE INDEX CONCURRENTLY messages_to_lower ON messages (lower("to"), workspace_id, id DESC) WHERE "to" <> lower("to");
-- Recipients of steps that were never sent.
DROP INDEX CONCURRENTLY IF EXISTS fallbacks_to;
CREATE INDEX CONCURRENTLY fallbacks_to ON fallbacks USING gin (jsonb_path_query_array(lower(steps::text)::jsonb, '$[*].to'));
