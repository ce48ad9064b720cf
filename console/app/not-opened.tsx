/** The session may still be valid, but the service does not answer. A login form would only mislead. */
import { useEffect } from 'preact/hooks';
import type { Problem } from '../api/problem.js';
import { ProblemBox } from '../parts/problem-box.js';
import { restoreSession } from '../state/session.js';

/** Rarely enough for a workspace that has used up its requests. */
const retryMs = 3_000;

export function NotOpened({ problem }: { problem: Problem }) {
  const again = () => void restoreSession();
  // Each failure is another problem, after which it waits again.
  useEffect(() => {
    const timer = setTimeout(again, retryMs);
    return () => clearTimeout(timer);
  }, [problem]);
  return (
    <main class="public">
      <h1>The console cannot be loaded</h1>
      <ProblemBox problem={problem}>
        <button type="button" class="primary" onClick={again}>
          Try again
        </button>
      </ProblemBox>
      <p class="note">The console tries again every few seconds. You are still logged in.</p>
    </main>
  );
}
