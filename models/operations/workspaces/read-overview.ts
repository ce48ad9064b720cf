/** What a workspace sent in a period, from the sums by hour and day. */
import type { Channel } from '../../channels.js';
import { type Database, select } from '../../db/database.js';
import { percentileOf } from '../../rules/messages/wait-classes.js';
import type { Period } from './sum-usage.js';

export type OverviewUnit = 'hour' | 'day';

/** Sums of one hour or day (UTC) and channel. Credits are in thousandths. */
export interface OverviewPart {
  at: Date;
  channel: Channel;
  messages: number;
  delivered: number;
  failed: number;
  credits: number;
}

export interface Overview {
  parts: OverviewPart[];
  /** Failures by code, the most frequent first. */
  reasons: { code: string; count: number }[];
  /** From the time a message was due until it was delivered; null without deliveries. */
  waits: { p50Ms: number | null; p95Ms: number | null };
}

interface Row {
  at: Date;
  channel: Channel;
  measure: 'messages' | 'delivered' | 'failed' | 'credits' | 'reason' | 'wait';
  key: string;
  count: number;
}

/** Reads the sums of whole hours or days. A message counts where it was accepted, with its present state, at most a minute late. */
export async function readOverview(db: Database, workspaceId: string, { from, to }: Period, unit: OverviewUnit): Promise<Overview> {
  const rows = await select<Row>(db, read, [workspaceId, unit, from, to]);
  const parts = new Map<string, OverviewPart>();
  const reasons = new Map<string, number>();
  const waits = new Map<number, number>();
  for (const { at, channel, measure, key, count } of rows) {
    if (measure === 'reason') reasons.set(key, (reasons.get(key) ?? 0) + count);
    else if (measure === 'wait') waits.set(Number(key), (waits.get(Number(key)) ?? 0) + count);
    else {
      const name = `${at.getTime()} ${channel}`;
      const part = parts.get(name) ?? { at, channel, messages: 0, delivered: 0, failed: 0, credits: 0 };
      part[measure] = count;
      parts.set(name, part);
    }
  }
  return {
    parts: [...parts.values()],
    reasons: [...reasons]
      .map(([code, count]) => ({ code, count }))
      .filter(({ count }) => count > 0)
      .toSorted((one, other) => other.count - one.count || (one.code < other.code ? -1 : 1)),
    waits: { p50Ms: percentileOf(waits, 0.5), p95Ms: percentileOf(waits, 0.95) },
  };
}

const read = `
  SELECT at, channel, measure, key, count FROM message_rollups
  WHERE workspace_id = $1 AND unit = $2 AND at >= date_trunc($2, $3::timestamptz, 'UTC') AND at <= $4
  ORDER BY at, channel`;
