/** One resource of a screen: loading, failed or shown, and read again. */
import type { ComponentChildren } from 'preact';
import type { Loaded } from '../state/load.js';
import { ProblemBox } from './problem-box.js';

/** Reads again. A press while the read before may still be answered does nothing. */
export function RefreshButton({ of, text = 'Refresh', refresh = of.reload }: { of: Loaded<unknown>; text?: string; refresh?(): void }) {
  const isWaiting = of.isAwaited.value && of.isPending.value;
  return (
    <button type="button" aria-disabled={isWaiting} onClick={() => isWaiting || refresh()}>
      {text}
    </button>
  );
}

/** A failed reload leaves what was there, below the problem. */
export function Resource<T>({ of, children }: { of: Loaded<T>; children(data: T): ComponentChildren }) {
  const data = of.data.value;
  const problem = of.problem.value;
  return (
    <>
      {problem !== null && (
        <ProblemBox problem={problem}>
          <RefreshButton of={of} text="Try again" />
        </ProblemBox>
      )}
      {data !== undefined ? children(data) : problem === null && <p class="loading">Loading…</p>}
    </>
  );
}
