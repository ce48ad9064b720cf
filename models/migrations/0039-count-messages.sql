-- Counts the messages that were there before the notes. One statement sees one state: of the messages, and of the notes about them, which are
-- then part of the sums. Sends go on meanwhile.
SET LOCAL statement_timeout = 0; -- tens of millions of messages are counted once
WITH seen AS (
  DELETE FROM message_changes
), counted AS (
  SELECT workspace_id, channel, date_trunc('hour', created_at, 'UTC') AS at, error_code, status,
    CASE WHEN status IN ('delivered', 'read')
      THEN floor(8 * ln(GREATEST(10, extract(epoch FROM delivered_at - GREATEST(created_at, scheduled_at))::float8 * 1000) / 10) / ln(2::float8))::integer END AS wait,
    count(*) AS messages, sum(credits_used)::bigint AS credits
  FROM messages WHERE status <> 'accepting' GROUP BY 1, 2, 3, 4, 5, 6
), measured AS (
  SELECT workspace_id, channel, at, m.measure, m.key, m.count FROM counted, LATERAL (VALUES
    ('messages', '', messages),
    ('credits', '', credits),
    ('delivered', '', CASE WHEN status IN ('delivered', 'read') THEN messages END),
    ('failed', '', CASE WHEN status = 'failed' THEN messages END),
    ('reason', COALESCE(error_code, 'unknown'), CASE WHEN status = 'failed' THEN messages END),
    ('wait', wait::text, CASE WHEN wait IS NOT NULL THEN messages END)
  ) AS m (measure, key, count) WHERE m.count <> 0
)
INSERT INTO message_rollups (workspace_id, unit, at, channel, measure, key, count)
SELECT workspace_id, unit, date_trunc(unit, at, 'UTC'), channel, measure, key, sum(count)
FROM measured, (VALUES ('hour'), ('day')) AS u (unit) WHERE unit = 'day' OR at > now() - interval '35 days' GROUP BY 1, 2, 3, 4, 5, 6;
