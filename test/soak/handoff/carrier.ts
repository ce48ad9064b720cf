/** The carrier's side of the soak: every message that it took is reported delivered, and a report is posted until it is taken. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TakenMessage, TwilioCounterpart } from '../../support/carriers/twilio.js';

const answerAfterMs = 2_000;
/** From the hand-off to the first post of the report: sometimes before the answer, as real carriers do. */
const reportAfterMs = { min: 1_500, max: 9_000 };
const repeatAfterMs = 1_000;
const lookEveryMs = 50;

/** Begins to report. `close` resolves when every message taken so far was reported. */
export function openCarrier(counterpart: TwilioCounterpart): { close(): Promise<void> } {
  counterpart.answerAfterMs = answerAfterMs;
  let closing = false;
  const inFlight = new Set<Promise<void>>();
  const reportLater = async (message: TakenMessage, afterMs: number) => {
    await sleep(afterMs);
    while ((await counterpart.report(message, 'delivered').catch(() => 0)) !== 200) await sleep(repeatAfterMs);
  };
  const watch = async () => {
    let reported = 0;
    while (!closing || reported < counterpart.taken.length) {
      for (const message of counterpart.taken.slice(reported)) {
        const spread = (reported % 100) / 100;
        reported += 1;
        const report = reportLater(message, reportAfterMs.min + spread * (reportAfterMs.max - reportAfterMs.min));
        inFlight.add(report);
        void report.finally(() => inFlight.delete(report));
      }
      await sleep(lookEveryMs);
    }
    await Promise.all(inFlight);
  };
  const watching = watch();
  return {
    close: () => {
      closing = true;
      return watching;
    },
  };
}
