/** The button that sends a batch, with the questions and notices when it is not known whether it was accepted before. */
import { type Signal, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { isUnanswered } from '../../api/problem.js';
import { to } from '../../api/base.js';
import { countText } from '../../parts/count.js';
import { creditsText } from '../../parts/credits.js';
import { Form } from '../../parts/form.js';
import { assertAhead } from '../../parts/message-fields.js';
import { momentText } from '../../parts/time.js';
import { useForm } from '../../state/form.js';
import { refreshSoon } from '../../state/session.js';
import { notify } from '../../state/notices.js';
import type { Checked } from './check.js';
import type { Body } from './draft.js';
import { newRequest, type Request, sendOnce, unansweredOf } from './send-once.js';

interface Props {
  checked: Checked;
  skipped: number;
  isSending: Signal<boolean>;
}

export function SendBatch({ checked: { body, credits, sent }, skipped, isSending }: Props) {
  const { form, question, chooseNew } = useSending(body, isSending);
  if (body === null) return <p class="error">No row can be sent.</p>;
  if (question !== null) {
    const asNew = (
      <button aria-disabled={form.isBusy.value} onClick={chooseNew}>
        A new batch: send it as well
      </button>
    );
    return (
      <Form form={form} action="The same batch: send it once" fields={[]} more={asNew}>
        <p role="alert">
          {`A batch with exactly this content was sent on ${momentText(question.at)}, and no response came. It may have been accepted.`}
        </p>
      </Form>
    );
  }
  const messages = `${countText(sent.length, 'message')} for ${creditsText(credits)}`;
  const what = body.scheduled_at ? `${messages} on ${momentText(body.scheduled_at)}` : messages;
  const rows = skipped === 1 ? 'the invalid row' : `the ${countText(skipped, 'invalid row')}`;
  return (
    <Form form={form} action={skipped === 0 ? `Send ${what}` : `Skip ${rows}, send ${what}`} fields={[]}>
      {isUnanswered(form.problem.value) && <p>Press the button again: the batch is sent once, as long as nothing is changed.</p>}
    </Form>
  );
}

/** Sends the batch. If an earlier request with its content has no answer, only the user knows whether it is the same batch. */
function useSending(body: Body | null, isSending: Signal<boolean>) {
  const question = useSignal<Request | null>(null);
  const isNew = useRef(false);
  // Pressed again after a failure, each of the two buttons means the batch that it meant before.
  const sent = useRef(new Map<'same' | 'new', Request>());
  const form = useForm(async (_data, _form, origin) => {
    if (body === null) return;
    const meant = isNew.current ? 'new' : 'same';
    isNew.current = false;
    if (question.value === null && !sent.current.has(meant)) {
      question.value = await unansweredOf(body);
      if (question.value !== null) return;
    }
    const unanswered = sent.current.get(meant) ?? (meant === 'same' ? question.value : null);
    // A batch without an answer may have been accepted before its time.
    if (unanswered === null) assertAhead(body.scheduled_at);
    const request = unanswered ?? newRequest();
    sent.current.set(meant, request);
    isSending.value = true;
    const { batch, isReplay } = await sendOnce(body, request)
      .catch((error: unknown) => {
        if (unanswered === null && !isUnanswered(error)) sent.current.delete(meant);
        throw error;
      })
      .finally(() => (isSending.value = false));
    if (isReplay) notify('The batch had been accepted before. Nothing was sent again.');
    else if (origin.isLeft()) notify('Batch accepted.');
    refreshSoon();
    origin.go(to(`batches/${batch.id}`));
  }, 'It is not known whether the batch was accepted.');
  const chooseNew = () => {
    if (!form.isBusy.value) isNew.current = true;
  };
  return { form, question: question.value, chooseNew };
}
