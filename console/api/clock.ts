/** The clock of the service. That of this device may be wrong by hours. */

/** An answer may have been on its way for so long: what differs by less is no fault of a clock. */
const ignoredMs = 120_000;

let aheadMs = 0;

export function noteClock(headers: Headers): void {
  const ahead = Date.parse(headers.get('Date') ?? '') - Date.now();
  if (!Number.isNaN(ahead)) aheadMs = Math.abs(ahead) < ignoredMs ? 0 : ahead;
}

/** Whether a moment has passed by the clock of this device, which its user sees, or by that of the service, which sends. */
export const hasPassed = (millis: number): boolean => millis <= Date.now() + Math.max(0, aheadMs);
