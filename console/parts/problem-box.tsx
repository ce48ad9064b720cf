/** A refusal or failure, with what to do about it. A repeated try has another request, which must not be announced as another problem. */
import type { ComponentChildren } from 'preact';
import type { Problem } from '../api/problem.js';
import { CopyValue } from './copy.js';

export function ProblemBox({ problem, children }: { problem: Problem; children?: ComponentChildren }) {
  return (
    <div class="problem">
      <div role="alert" tabIndex={-1}>
        <p>
          <strong>{problem.message}</strong>
        </p>
        {problem.hints.map((hint) => (
          <p key={hint}>{hint}</p>
        ))}
      </div>
      {problem.requestId !== null && (
        <p class="note">
          Request <CopyValue value={problem.requestId} label="the request id" />
        </p>
      )}
      {children}
    </div>
  );
}
