import { type Channel, channels } from '../../models/channels.js';
import type { Choices } from '../../models/operations/handoff/claim-handoffs.js';
import { type DueUnits, dueUnits } from '../../models/operations/handoff/provider-pace.js';
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
  /** Whether the round calls this account at once. A round that may have to wait for its time must not keep the connections from others. */
  isAtOnce: (account: string) => boolean;
}

/**
 * Waits until an account of a round has a free connection. Asks the database only while an account may have too few of them. A round for several
 * channels does not wait for the accounts of one.
 * @returns undefined if none was free in time
 */
export async function enterRooms(
  { db, waits, rooms }: Pick<RoundDeps, 'db' | 'waits' | 'rooms'>,
  slot: GroupSlot,
  { choices, channel, size, except, waitsForAll, isAtOnce, ...wait }: RoomRequest,
): Promise<Room | undefined> {
  const isOf = (account: string) => (of: Channel) => choices[of].accounts.some((choice) => choice.account === account);
  const accounts = (channel === null ? channels : [channel]).flatMap((of) => choices[of].accounts);
  if (accounts.every(({ account }) => rooms.of(account).hasFor(size))) return unlimitedRoom;
  const due = await dueUnits(db, slot.groupId, choices, { limit: size, except, waits });
  const full = due.filter(({ account }) => !rooms.of(account).isOpen);
  const without = channels.filter((of) => full.some(({ account }) => isOf(account)(of)));
  const ready = due.filter(({ account }) => !without.some(isOf(account)));
  const callsOf = ({ account, messages }: DueUnits) => (isAtOnce(account) ? messages : 0);
  const [awaited] = full;
  if (awaited !== undefined && (waitsForAll || ready.length === 0)) {
    const leave = await slot.waitAt(awaited.account, (room) => room.enter(callsOf(awaited), wait));
    return leave && { without: without.filter((of) => !isOf(awaited.account)(of)), leave };
  }
  const reservations = ready.map((unit) => rooms.of(unit.account).reserve(callsOf(unit)));
  return { without, leave: () => reservations.forEach((leave) => leave()) };
}
