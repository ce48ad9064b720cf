/** Pause, resume or cancel a batch. */
import { useSignal } from '@preact/signals';
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
    // Between the last look and now more of it was sent: the refund is that of this moment.
    const { batch: before } = await call('get', '/api/v1/messages/bulk/{id}', { params });
    const { batch: after } = await call('post', '/api/v1/messages/bulk/{id}/cancel', { params });
    changed(after);
    const refund = Math.max(0, Number((before.credits_used - after.credits_used).toFixed(3)));
    outcome.value = `Cancelled. ${creditsText(refund)} are refunded.`;
    await refreshWorkspace();
  });
  return { isBusy, outcome, pause, resume, cancel };
}

export function BatchActions(props: Props) {
  const { isBusy, outcome, pause, resume, cancel } = useActions(props);
  const { status } = props.batch;
  const isOpen = status === 'sending' || status === 'paused' || status === 'scheduled';
  return (
    <>
      <p role="status">{outcome.value}</p>
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
