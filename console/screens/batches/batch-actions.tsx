/** Pause, resume or cancel a batch. */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { call, type Schema } from '../../api/call.js';
import { countText } from '../../parts/count.js';
import { creditsText } from '../../parts/credits.js';
import { useOneAtATime } from '../../state/actions.js';
import { confirm } from '../../state/confirm.js';
import type { Origin } from '../../state/origin.js';
import { refreshSoon } from '../../state/session.js';
import { useLatest } from '../../state/latest.js';
import { notify } from '../../state/notices.js';

type Batch = Schema<'Batch'>;

interface Props {
  batch: Batch;
  changed(batch: Batch): void;
}

function useActions({ batch, changed }: Props) {
  const { isBusy, run } = useOneAtATime();
  const said = useRef<HTMLParagraphElement>(null);
  // A batch may change between the question and its answer.
  const latest = useLatest(batch);
  const outcome = useSignal('');
  const params = { id: batch.id };
  const say = (text: string, origin: Origin) => {
    outcome.value = text;
    if (origin.isLeft()) notify(text);
  };
  const pause = run(async (origin) => {
    changed((await call('post', '/api/v1/messages/bulk/{id}/pause', { params })).batch);
    say('Batch paused. Messages that are being handed off at this moment are still sent.', origin);
  });
  const resume = run(async (origin) => {
    changed((await call('post', '/api/v1/messages/bulk/{id}/resume', { params })).batch);
    outcome.value = '';
    if (origin.isLeft()) notify('Batch resumed.');
  });
  const cancel = run(async (origin) => {
    const text = `Up to ${countText(batch.counts.queued, 'message')} will not be handed off. What is not sent is refunded. A cancelled batch cannot be resumed.`;
    if (!(await confirm({ title: 'Cancel this batch?', text, action: 'Cancel the batch' }))) return;
    const before = latest.current.credits_used;
    const { batch: after } = await call('post', '/api/v1/messages/bulk/{id}/cancel', { params });
    changed(after);
    say(`Batch cancelled. Refunded: ${creditsText(Math.max(0, Number((before - after.credits_used).toFixed(3))))}.`, origin);
    // Its button is gone.
    said.current?.focus();
    refreshSoon();
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
            <button type="button" class="primary" aria-disabled={isBusy.value} onClick={resume}>
              Resume
            </button>
          ) : (
            <button type="button" aria-disabled={isBusy.value} onClick={pause}>
              Pause
            </button>
          )}
          <button type="button" class="danger" aria-disabled={isBusy.value} onClick={cancel}>
            Cancel
          </button>
        </p>
      )}
    </>
  );
}
