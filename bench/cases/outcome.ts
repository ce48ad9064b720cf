/** The result of a webhook run. */
export interface Outcome {
  /** Lines to print. */
  lines: string[];
  /** Violated expectations. */
  wrong: string[];
}
