/**
 * SQL: the request of the message `m` came by this time. A step of a fallback chain is created when its turn comes, but was requested with the
 * first message of its chain.
 */
export const isRequestedBy = (time: string) => `(m.created_at <= ${time} OR EXISTS (
  WITH RECURSIVE earlier AS (
    SELECT f.message_id FROM fallbacks f WHERE f.next_id = m.id
    UNION ALL SELECT f.message_id FROM earlier e JOIN fallbacks f ON f.next_id = e.message_id
  )
  SELECT 1 FROM earlier e JOIN messages p ON p.id = e.message_id WHERE p.created_at <= ${time}))`;
