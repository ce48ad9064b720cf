import { handoffUnknownCode } from './error-codes.js';

/** One attempt to hand a message off, as the timeline shows it. */
interface Attempt {
  number: number;
  provider: string;
  outcome: string | null;
  detail: string | null;
}

/** A sentence for people. The last attempt of a message whose answer was lost may have made no call: then the carrier refused nothing. */
export function attemptText({ number, provider, outcome, detail }: Attempt): string {
  if (detail === handoffUnknownCode) return `Given up: no report came, and ${provider} cannot tell whether it accepted the message`;
  return `Attempt ${number}, ${provider}: ${outcome ?? 'no response yet'}`;
}
