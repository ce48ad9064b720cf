import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const idBytes = 16;
/** Random bytes for many ids. Getting them for each id alone would take most of the time of making it. */
const random = Buffer.alloc(256 * idBytes);
let used = random.length;
/** The time and the sequence of the last id. */
const last = { msecs: 0, seq: 0 };
/** By how much ids may be ahead of a clock that was set back. `idAfter` allows ten minutes, in which the ids of a batch are made too. */
const aheadMsMax = 60_000;

/**
 * Makes an id: a UUIDv7 (RFC 9562, section 5.7), whose first part is the present time. Each is greater than the one before it in this thread,
 * also within a millisecond and when the clock is set back a little. After a greater step back, ids begin afresh at the present time: with a later
 * time, lists of a period would leave their rows out.
 */
export function makeId(): string {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  const bytes = random.subarray(used, (used += idBytes));
  const now = Date.now();
  if (now > last.msecs || now < last.msecs - aheadMsMax) {
    last.msecs = now;
    last.seq = bytes.readUInt32BE(6) >>> 1; // half of the range is left to count upwards
  } else last.seq += 1;
  return v7({ random: bytes, ...last });
}
