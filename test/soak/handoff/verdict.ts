/** Judges the soak: what the carrier took against what clients were answered and what the books say. */
import type { Database } from '../../../models/db/database.js';
import { rows } from '../../support/database.js';
import { assertBooks } from '../../../harness/checks/invariants.js';
import type { TakenMessage, TwilioCounterpart } from '../../support/carriers/twilio.js';
import type { Sends } from './load.js';

export interface Verdict {
  figures: Record<string, number>;
  violations: string[];
}

interface Ended {
  id: string;
  status: string;
  code: string | null;
  to: string;
  body: string;
  charged: boolean;
}

/** Every message carries a recipient and text of its own within singles, a recipient of its own within each batch. */
const endedMessages = `
  SELECT id, status, error_code AS code, "to", content->>'text' AS body, credits_used > 0 AS charged FROM messages`;

/** How many messages have not ended. */
export async function openMessages(db: Database): Promise<number> {
  const open = `SELECT count(*)::int AS count FROM messages WHERE status NOT IN ('delivered', 'failed')`;
  return (await rows<{ count: number }>(db, open))[0]?.count ?? 0;
}

/** @returns counts for the reader, and what breaks a promise; none when all is well */
export async function judge(db: Database, counterpart: TwilioCounterpart, sends: Sends): Promise<Verdict> {
  const messages = await rows<Ended>(db, endedMessages);
  const [activity] = await rows<{ deadlocks: number }>(
    db,
    'SELECT deadlocks::int AS deadlocks FROM pg_stat_database WHERE datname = current_database()',
  );
  const counts: Record<string, number> = { ...faultsOf(messages, counterpart.taken, sends), deadlocks: activity?.deadlocks ?? 0 };
  const violations = Object.entries(counts)
    .filter(([, count]) => count !== 0)
    .map(([what, count]) => `${what}: ${count}`);
  await assertBooks(db).catch((error: unknown) => violations.push(`the books do not balance: ${(error as Error).message}`));
  const unpaid = messages.filter(({ status, charged }) => status === 'delivered' && !charged).length;
  return {
    figures: {
      'messages answered': answeredIn(sends),
      'calls repeated with their key': sends.repeated,
      'messages the carrier took': counterpart.taken.length,
      'handoff_unknown: claimed, never taken, refunded': messages.filter(({ code }) => code === 'handoff_unknown').length,
      'delivered and unpaid (given up before the report)': unpaid,
      ...counts,
    },
    violations: [...violations, ...sends.refused.slice(0, 3)],
  };
}

const answeredIn = ({ singles, batches }: Sends) => singles.length + batches.reduce((sum, { recipients }) => sum + recipients, 0);

/** How often each promise about messages was broken. */
function faultsOf(messages: Ended[], taken: TakenMessage[], sends: Sends) {
  const copies = countBy(taken.map(({ form }) => `${form.To} ${form.Body}`));
  const expected = countBy(messages.map(({ to, body }) => `${to} ${body}`));
  const delivered = countBy(messages.filter(({ status }) => status === 'delivered').map(({ to, body }) => `${to} ${body}`));
  const stored = new Set(messages.map(({ id }) => id));
  return {
    'sends refused': sends.refused.length,
    'messages answered and not stored': sends.singles.filter((id) => !stored.has(id)).length,
    'messages stored and not answered': messages.length - answeredIn(sends),
    'messages handed off twice': excess(copies, expected),
    'messages taken and not delivered, though their reports came': excess(copies, delivered) - excess(copies, expected),
    'messages delivered that nobody took': excess(delivered, copies),
    'messages without an end': messages.filter(({ status }) => status !== 'delivered' && status !== 'failed').length,
    'messages failed and charged': messages.filter(({ status, charged }) => status === 'failed' && charged).length,
    'messages failed for another reason than handoff_unknown': messages.filter(
      ({ status, code }) => status === 'failed' && code !== 'handoff_unknown',
    ).length,
  };
}

function countBy(keys: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** By how much the first counts exceed the second ones, summed. */
function excess(first: Map<string, number>, second: Map<string, number>): number {
  return [...first].reduce((sum, [key, count]) => sum + Math.max(0, count - (second.get(key) ?? 0)), 0);
}
