-- no transaction: tables stay writable while their indexes are built
-- Mails and their tokens are deleted by their age.
DROP INDEX CONCURRENTLY IF EXISTS mail_tokens_expired;
CREATE INDEX CONCURRENTLY mail_tokens_expired ON mail_tokens (expires_at);
-- The mail of a deleted token is deleted with it.
DROP INDEX CONCURRENTLY IF EXISTS mails_token;
CREATE INDEX CONCURRENTLY mails_token ON mails (token_id) WHERE token_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS mails_ended;
CREATE INDEX CONCURRENTLY mails_ended ON mails (created_at) WHERE token_id IS NULL AND (sent_at IS NOT NULL OR refused_code IS NOT NULL);
