/** The session may still be valid, but the service does not answer. A login form would only mislead. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { nextRequestInMs } from '../api/allowance.js';
import type { Problem } from '../api/problem.js';
import { countText } from '../parts/count.js';
import { ProblemBox } from '../parts/problem-box.js';
import { useOneAtATime } from '../state/actions.js';
import { restoreSession } from '../state/session.js';

/** Unless the rate limit asks for more. */
const retryMsMin = 3_000;

export function NotOpened({ problem }: { problem: Problem }) {
  const { isBusy, run } = useOneAtATime();
  const again = run(() => restoreSession());
  // Each failure is another problem, after which it waits again.
  const seconds = useSignal(0);
  useEffect(() => {
    const due = performance.now() + Math.max(retryMsMin, nextRequestInMs());
    let timer: ReturnType<typeof setTimeout>;
    const count = () => {
      const left = due - performance.now();
      seconds.value = Math.max(0, Math.ceil(left / 1_000));
      if (left <= 0) again();
      else timer = setTimeout(count, Math.min(left, 1_000));
    };
    count();
    return () => clearTimeout(timer);
  }, [problem]);
  return (
    <main class="public">
      <h1>The console cannot be loaded</h1>
      <ProblemBox problem={problem}>
        <button type="button" class="primary" aria-disabled={isBusy.value} onClick={again}>
          Try again
        </button>
      </ProblemBox>
      <p class="note">
        {isBusy.value ? 'Trying again…' : `The console tries again in ${countText(seconds.value, 'second')}.`} You are still logged in.
      </p>
    </main>
  );
}
