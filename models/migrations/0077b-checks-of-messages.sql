-- Each of these files changes tables that no transaction of the program uses together, so that none can deadlock with it.
ALTER TABLE messages
  ADD CONSTRAINT messages_credits_used_check CHECK (credits_used BETWEEN 0 AND cost) NOT VALID,
  -- A message may be delivered that was never sent: a carrier reports it after its hand-off was given up.
  ADD CONSTRAINT messages_times_check CHECK (CASE status
    WHEN 'sent' THEN sent_at IS NOT NULL
    WHEN 'delivered' THEN delivered_at IS NOT NULL
    WHEN 'read' THEN read_at IS NOT NULL
    WHEN 'failed' THEN failed_at IS NOT NULL
    ELSE num_nonnulls(sent_at, delivered_at, read_at, failed_at) = 0 END) NOT VALID;
