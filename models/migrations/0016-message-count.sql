-- How many messages the workspace's list shows: counted when they are decided, in the row that their debit writes anyway. To count millions
-- of rows for every page of the list takes longer than to read the page.
SET LOCAL statement_timeout = 0; -- tens of millions of messages are counted once
ALTER TABLE workspaces ADD COLUMN message_count bigint NOT NULL DEFAULT 0;
-- The lock on the table keeps out debits, and so decisions, until the number is written.
UPDATE workspaces w SET message_count = shown.count
FROM (SELECT workspace_id, count(*) FROM messages WHERE status <> 'accepting' GROUP BY workspace_id) AS shown WHERE shown.workspace_id = w.id;
