-- no transaction: tables stay writable while their indexes are built
-- A payment pays one order.
DROP INDEX CONCURRENTLY IF EXISTS credit_orders_payment_once;
CREATE UNIQUE INDEX CONCURRENTLY credit_orders_payment_once ON credit_orders (payment_id) WHERE payment_id IS NOT NULL;
-- A ledger has each number once. This index replaces the one that also had the ids, and has 40 % of its size. A list sorts entries with the same number
-- by their ids: only those without a number, which are older than migration 0017.
DROP INDEX CONCURRENTLY IF EXISTS credit_entries_number;
CREATE UNIQUE INDEX CONCURRENTLY credit_entries_number ON credit_entries (workspace_id, number DESC NULLS LAST);
