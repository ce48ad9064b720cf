-- no transaction: tables stay writable while their indexes are dropped
-- In a file of its own: a repetition of 0077 would otherwise build its indexes again when the old ones are gone.
DROP INDEX CONCURRENTLY IF EXISTS credit_orders_payment;
DROP INDEX CONCURRENTLY IF EXISTS credit_entries_workspace;
-- No statement uses it.
DROP INDEX CONCURRENTLY IF EXISTS route_changes_account;
