/** SQL: selects the ids of reports `d` under the ids that providers gave to messages. @param source SQL: a list or a SELECT of their ids */
export const reportsOfMessages = (source: string): string => `
  SELECT d.id FROM (
    SELECT provider, provider_message_id FROM messages WHERE id IN (${source})
    UNION SELECT provider, provider_message_id FROM send_attempts WHERE message_id IN (${source})
  ) n JOIN delivery_reports d ON d.provider = n.provider AND d.provider_message_id = n.provider_message_id`;
