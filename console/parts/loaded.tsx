/** One resource of a screen: loading, failed or shown. */
import type { ComponentChildren } from 'preact';
import type { Loaded } from '../state/load.js';
import { ProblemBox } from './problem-box.js';

/** A failed reload leaves what was there, below the problem. */
export function Resource<T>({ of, children }: { of: Loaded<T>; children(data: T): ComponentChildren }) {
  const data = of.data.value;
  const problem = of.problem.value;
  return (
    <>
      {problem !== null && (
        <ProblemBox problem={problem}>
          <button type="button" onClick={of.reload}>
            Try again
          </button>
        </ProblemBox>
      )}
      {data !== undefined ? children(data) : problem === null && <p class="loading">Loading…</p>}
    </>
  );
}
