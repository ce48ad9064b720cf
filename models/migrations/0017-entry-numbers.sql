-- The place of each entry in its workspace's ledger: ids are made before the workspace's row is locked, so they do not tell which of two
-- movements came first. With an order, a balance is checked against its last entries, and the list of them runs from balance to balance.
SET LOCAL statement_timeout = 0; -- the index of a long ledger takes minutes
ALTER TABLE workspaces
  ADD COLUMN entry_count bigint NOT NULL DEFAULT 0, -- entries that have a number; the newest has this one
  ADD COLUMN opening_balance bigint NOT NULL DEFAULT 0; -- the sum of those without, from before there were numbers
-- The lock on the table keeps out every movement until all is done.
UPDATE workspaces SET opening_balance = balance;
ALTER TABLE credit_entries ADD COLUMN number bigint;

DROP INDEX credit_entries_workspace;
CREATE INDEX credit_entries_workspace ON credit_entries (workspace_id, number DESC NULLS LAST, id DESC);

-- Of what is posted by hand, or by a process of the version before while it is being replaced. The program gives numbers itself, in the
-- update of the balance: a second one for each movement would cost as much again.
CREATE FUNCTION number_ledger_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE workspaces SET entry_count = entry_count + 1 WHERE id = NEW.workspace_id RETURNING entry_count INTO NEW.number;
  RETURN NEW;
END $$;
CREATE TRIGGER credit_entries_numbered BEFORE INSERT ON credit_entries
  FOR EACH ROW WHEN (NEW.number IS NULL) EXECUTE FUNCTION number_ledger_entry();
