/** What of this process everybody may take: memory for bodies, and turns for large ones. The figures are those of docs/limits.md. */
import { ByteRoom } from '../../models/flow/byte-room.js';
import { createTurnstile, type Turnstile } from '../../models/flow/turnstile.js';

export interface Rooms {
  ofWorkspaces: ByteRoom;
  /** Of requests without a credential. */
  ofAddresses: ByteRoom;
  /** Of operations with large bodies. */
  turns: Turnstile;
}

const megabyte = 1024 * 1024;

export const createRooms = (): Rooms => ({
  ofWorkspaces: new ByteRoom({ most: 64 * megabyte, mostOfOwner: 16 * megabyte, little: 512 * 1024 }),
  ofAddresses: new ByteRoom({ most: 16 * megabyte, mostOfOwner: 2 * megabyte, little: 0 }),
  turns: createTurnstile({ most: Number.POSITIVE_INFINITY, mostOfKey: 2, waitingOfKeyMax: 20 }),
});
