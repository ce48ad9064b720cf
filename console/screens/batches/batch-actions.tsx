/** Pause, resume or cancel a batch. */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { call, type Schema } from '../../api/call.js';
import { problemOf } from '../../api/problem.js';
import { creditsText } from '../../parts/credits.js';
import { confirm } from '../../state/confirm.js';
import { refreshWorkspace } from '../../state/session.js';
import { toast } from '../../state/toasts.js';

type Batch = Schema<'Batch'>;

interface Props {
  batch: Batch;
  changed(batch: Batch): void;
}

/** The actions, one at a time; what fails is said. */
function useActions({ batch, changed }: Props) {
  const isBusy = useSignal(false);
  const said = useRef<HTMLParagraphElement>(null);
  // What is shown when the question is answered, not when it was asked.
  const shown = useRef(batch);
  shown.current = batch;
  const outcome = useSignal('');
  const params = { id: batch.id };
  const run = (work: () => Promise<void>) => async () => {
    if (isBusy.value) return;
    isBusy.value = true;
    await work().catch((error: unknown) => toast(problemOf(error).message));
    isBusy.value = false;
  };
  const pause = run(async () => {
    changed((await call('post', '/api/v1/messages/bulk/{id}/pause', { params })).batch);
    outcome.value = 'Paused. Messages that are being handed off at this moment still go out.';
  });
  const resume = run(async () => {
    changed((await call('post', '/api/v1/messages/bulk/{id}/resume', { params })).batch);
    outcome.value = '';
  });
  const cancel = run(async () => {
    const queued = batch.counts.queued.toLocaleString();
    const text = `Up to ${queued} messages are not handed off. They are not sent, and their credits are refunded. A cancelled batch cannot go on.`;
    if (!(await confirm({ title: 'Cancel this batch?', text, action: 'Cancel the batch' }))) return;
    const before = shown.current.credits_used;
    const { batch: after } = await call('post', '/api/v1/messages/bulk/{id}/cancel', { params });
    changed(after);
    outcome.value = `Cancelled. ${creditsText(Math.max(0, Number((before - after.credits_used).toFixed(3))))} are refunded.`;
    // Its button is gone.
    said.current?.focus();
    void refreshWorkspace().catch(() => undefined);
  });
  return { isBusy, outcome, said, pause, resume, cancel };
}

export function BatchActions(props: Props) {
  const { isBusy, outcome, said, pause, resume, cancel } = useActions(props);
  const { status } = props.batch;
  const isOpen = status === 'sending' || status === 'paused' || status === 'scheduled';
  return (
    <>
      <p role="status" ref={said} tabIndex={-1}>
        {outcome.value}
      </p>
      {isOpen && (
        <p class="actions">
          {status === 'paused' ? (
            <button type="button" class="primary" disabled={isBusy.value} onClick={() => void resume()}>
              Resume
            </button>
          ) : (
            <button type="button" disabled={isBusy.value} onClick={() => void pause()}>
              Pause
            </button>
          )}
          <button type="button" class="danger" disabled={isBusy.value} onClick={() => void cancel()}>
            Cancel
          </button>
        </p>
      )}
    </>
  );
}
