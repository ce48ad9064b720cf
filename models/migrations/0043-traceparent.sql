-- The header `traceparent` of a send, if there are traces: the trace of the message continues that of its client. A column without a default
-- is added without a scan or rewrite of the table.
ALTER TABLE messages ADD COLUMN traceparent text;
