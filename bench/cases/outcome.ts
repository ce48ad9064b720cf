/** What a measurement found. */
export interface Outcome {
  /** Lines to print. */
  lines: string[];
  /** Violated expectations. */
  violations: string[];
}
