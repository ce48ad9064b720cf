/** Ids that carriers give to messages. Those of Meta contain the number of the recipient in base64. */
import { digestInSql, digestOf } from './erasure.js';

const prefix = 'wamid.';

/** Whether the recipient can be read from this id of a carrier. */
export const namesRecipient = (id: string): boolean => id.startsWith(prefix);

/** What replaces this id when its message or its report is erased; null if it stays. */
export const digestOfNamingId = (key: Buffer, id: string): string | null => (namesRecipient(id) ? digestOf(key, id) : null);

/** SQL: whether the recipient can be read from this id. */
export const namesRecipientInSql = (id: string) => `${id} LIKE '${prefix}%'`;

/** SQL: the id of an erased message: its digest if it names the recipient, otherwise the id itself. @param key a parameter */
export const withoutRecipient = (key: string, id: string) =>
  `CASE WHEN ${namesRecipientInSql(id)} THEN ${digestInSql(key, id)} ELSE ${id} END`;
