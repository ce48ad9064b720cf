import { timingSafeEqual } from 'node:crypto';

/** Whether a signature or password equals the expected one. The time does not depend on where they differ. */
export function isSameSecret(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** The present value of a secret, and the former one while it still counts. */
export const presentAndFormer = (present: string, former?: string): string[] => (former === undefined ? [present] : [present, former]);
