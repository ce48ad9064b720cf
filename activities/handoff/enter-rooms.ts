import { type Channel, channels } from '../../models/channels.js';
import type { Choices } from '../../models/operations/handoff/claim-handoffs.js';
import { nextExpiryInMs } from '../../models/operations/handoff/expire-waiting.js';
import { dueUnits } from '../../models/operations/handoff/provider-pace.js';
import type { RoomWait } from './call-room.js';
import type { GroupSlot } from './group-slot.js';
import type { RoundDeps } from './round-deps.js';

/** The accounts of a round have connections for its calls. */
export interface Room {
  /** Messages of these channels are not claimed now: their accounts have no free connection. */
  without: readonly Channel[];
  /** Ends the reservation, when the calls have begun or the round does not begin. It may be called again. */
  leave: () => void;
}

export const unlimitedRoom: Room = { without: [], leave: () => undefined };

export interface RoomRequest extends RoomWait {
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
export async function enterRooms(
  { db, waits, rooms }: Pick<RoundDeps, 'db' | 'waits' | 'rooms'>,
  slot: GroupSlot,
  { choices, channel, size, except, waitsForAll, ms, signal }: RoomRequest,
): Promise<Room | undefined> {
  const isOf = (account: string) => (of: Channel) => choices[of].accounts.some((choice) => choice.account === account);
  const accounts = (channel === null ? channels : [channel]).flatMap((of) => choices[of].accounts.map(({ account }) => account));
  if (accounts.every((account) => rooms.of(account).hasFor(size))) {
    // Which accounts single messages need is not known yet. Those with few connections are kept free for the moment of the claim.
    const needed = channel === null ? accounts.filter((account) => rooms.of(account).isSmallFor(size)) : accounts.slice(0, 1);
    return roomWith(needed.map((account) => rooms.of(account).reserve(size)));
  }
  const due = await dueUnits(db, slot.groupId, choices, { limit: size, except, waits });
  const full = due.filter(({ account }) => !rooms.of(account).isOpen);
  const without = channels.filter((of) => full.some(({ account }) => isOf(account)(of)));
  const ready = due.filter(({ account }) => !without.some(isOf(account)));
  const [awaited] = full;
  if (awaited === undefined || (ready.length > 0 && !waitsForAll))
    return roomWith(
      ready.map(({ account, messages }) => rooms.of(account).reserve(messages)),
      without,
    );
  const expiryMs = await nextExpiryInMs(db, slot.groupId);
  const wait = { ms: Math.min(ms, expiryMs ?? ms), signal };
  const leave = await slot.waitAt(awaited.account, (room) => room.enter(awaited.messages, wait));
  const stillFull = without.filter((of) => !isOf(awaited.account)(of));
  return leave && roomWith([leave], stillFull);
}

const roomWith = (reservations: readonly (() => void)[], without: readonly Channel[] = []): Room => ({
  without,
  leave: () => reservations.forEach((leave) => leave()),
});
