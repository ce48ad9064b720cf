import { type Channel, channels } from '../../models/channels.js';
import type { Choices } from '../../models/operations/handoff/claim-handoffs.js';
import { nextExpiryInMs } from '../../models/operations/handoff/expire-waiting.js';
import { dueUnits } from '../../models/operations/handoff/provider-pace.js';
import type { ConnectionWait } from './account-connections.js';
import type { GroupSlot } from './group-slot.js';
import type { RoundDeps } from './round-deps.js';

/** Connections that are kept for the calls of a round. */
export interface ReservedConnections {
  /** Messages of these channels are not claimed now: their accounts have no free connection. */
  without: readonly Channel[];
  /** Ends the reservation, when the calls have begun or the round does not begin. It may be called again. */
  release: () => void;
}

/** For a round that needs none, or makes no call. */
export const unreserved: ReservedConnections = { without: [], release: () => undefined };

export interface ConnectionRequest extends ConnectionWait {
  choices: Choices;
  /** Of a page. */
  channel: Channel | null;
  /** The maximum number of messages. */
  size: number;
  /** Messages to leave out. */
  except: readonly string[];
  /** The round begins only with the messages of all channels. */
  waitsForAll: boolean;
}

/**
 * Waits until an account of a round has a free connection. Asks the database only while an account may have too few of them. A round for several
 * channels does not wait for the accounts of one.
 * @returns undefined if none was free in time, or before a message of the group expired
 */
export async function reserveConnections(
  { db, waits, connections }: Pick<RoundDeps, 'db' | 'waits' | 'connections'>,
  slot: GroupSlot,
  { choices, channel, size, except, waitsForAll, ms, signal }: ConnectionRequest,
): Promise<ReservedConnections | undefined> {
  const uses = (of: Channel, account: string) => choices[of].accounts.some((choice) => choice.account === account);
  const accounts = (channel === null ? channels : [channel]).flatMap((of) => choices[of].accounts.map(({ account }) => account));
  if (accounts.every((account) => connections.of(account).hasFor(size))) {
    // Which accounts single messages need is not known yet. Those with few connections are kept free for the moment of the claim.
    const needed = channel === null ? accounts.filter((account) => connections.of(account).areFewerThan(size)) : accounts.slice(0, 1);
    return reservedBy(needed.map((account) => connections.of(account).reserve(size)));
  }
  const due = await dueUnits(db, slot.groupId, choices, { limit: size, except, waits });
  const full = due.filter(({ account }) => !connections.of(account).hasFree);
  const without = channels.filter((of) => full.some(({ account }) => uses(of, account)));
  const ready = due.filter(({ account }) => !without.some((of) => uses(of, account)));
  const [awaited] = full;
  if (awaited === undefined || (ready.length > 0 && !waitsForAll))
    return reservedBy(
      ready.map(({ account, messages }) => connections.of(account).reserve(messages)),
      without,
    );
  const expiryMs = await nextExpiryInMs(db, slot.groupId);
  const wait = { ms: Math.min(ms, expiryMs ?? ms), signal };
  const release = await slot.waitAt(awaited.account, (ofAccount) => ofAccount.reserveInTurn(awaited.messages, wait));
  const stillFull = without.filter((of) => !uses(of, awaited.account));
  return release && reservedBy([release], stillFull);
}

const reservedBy = (reservations: readonly (() => void)[], without: readonly Channel[] = []): ReservedConnections => ({
  without,
  release: () => reservations.forEach((release) => release()),
});
