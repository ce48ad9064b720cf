import type { PassCase, Sent } from '../../harness/measure/pass.js';
import type { PartName } from '../../harness/stage/service.js';

/** The columns of the table. Case d has two. */
export const columnKeys = ['a', 'p', 'b', 'c', 'd3', 'd10'] as const;
export type ColumnKey = (typeof columnKeys)[number];

/** How a case sends messages and waits until they are done. */
export interface MeasuredCase extends PassCase<PartName> {
  key: ColumnKey;
  title: string;
}

/** A case with single messages. */
export interface SingleCase extends MeasuredCase {
  send(): Promise<Sent>;
}
