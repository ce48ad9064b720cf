/** What a run about webhooks found. */
export interface Outcome {
  /** What to print. */
  lines: string[];
  /** What was not as promised. */
  wrong: string[];
}
