/** Where a list of audit events goes on: the place of the last row that was shown. Opaque to clients. */
import { isUuid } from '../values/text.js';

export interface Place {
  /** Microseconds since 1970, in text. */
  micros: string;
  id: string;
}

export const writeCursor = ({ micros, id }: Place): string => Buffer.from(`${micros}.${id}`).toString('base64url');

/** Null for what is no cursor of ours. */
export function readCursor(cursor: string): Place | null {
  const [micros = '', id = '', ...rest] = Buffer.from(cursor, 'base64url').toString().split('.');
  if (rest.length > 0 || !/^\d{1,16}$/.test(micros) || !isUuid(id)) return null;
  return { micros, id };
}
