-- What a group has to do is found by the group: one look at an index instead of one for each of its messages.
ALTER TABLE delivery_reports ADD COLUMN group_id uuid;
UPDATE delivery_reports d SET group_id = m.group_id FROM messages m WHERE m.id = d.message_id AND d.applied_at IS NULL;
DROP INDEX delivery_reports_unapplied;
CREATE INDEX delivery_reports_unapplied ON delivery_reports (group_id) WHERE applied_at IS NULL;

-- A message has sent_at or failed_at from the moment on at which it is neither `accepting` nor `queued`. The column `status` itself is in no
-- index: where only it changes, PostgreSQL writes the row alone and leaves all indexes of the table as they are (heap-only tuples).
DROP INDEX messages_undecided;
CREATE INDEX messages_undecided ON messages (id) WHERE sent_at IS NULL AND failed_at IS NULL;

-- For the watcher, who else would read every group that ever was.
CREATE INDEX message_groups_open ON message_groups (created_at) WHERE closed_at IS NULL;
