-- In a transaction of its own, so that nobody waits for the lock of the trigger meanwhile.
WITH moved AS (
  DELETE FROM ONLY suppressions WHERE reason IN ('opt_out', 'complaint') AND source <> 'api' RETURNING *
)
INSERT INTO suppressions_by_recipients SELECT * FROM moved ON CONFLICT DO NOTHING;
