-- no transaction: rows are compared while the tables stay writable
ALTER TABLE messages VALIDATE CONSTRAINT messages_credits_used_check, VALIDATE CONSTRAINT messages_times_check;
ALTER TABLE deliveries VALIDATE CONSTRAINT deliveries_next_attempt_at_check;
ALTER TABLE batches VALIDATE CONSTRAINT batches_completed_at_check;
ALTER TABLE replays VALIDATE CONSTRAINT replays_ended_at_check;
ALTER TABLE credit_entries VALIDATE CONSTRAINT credit_entries_sign_check;
-- Of migrations 0022 and 0024.
ALTER TABLE fallbacks VALIDATE CONSTRAINT fallbacks_outcome_check;
ALTER TABLE mail_tokens VALIDATE CONSTRAINT mail_tokens_purpose_check;
