/** End a suppression, where the workspace may. */
import { call } from '../../api/call.js';
import { useOneAtATime } from '../../state/actions.js';
import { confirm } from '../../state/confirm.js';
import { notify } from '../../state/notices.js';
import { isByRecipient, type Suppression } from './reasons.js';

const consequences: Readonly<Record<Suppression['reason'], string>> = {
  opt_out: 'Make sure that the recipient agrees: a recipient who opted out may complain to the carrier about further messages.',
  complaint: 'Make sure that the recipient agrees: another complaint harms the delivery of all your messages.',
  bounce: 'The earlier message bounced. If the address still does not exist, the next one bounces too and is charged.',
  manual: '',
};

export function Remove({ suppression, removed }: { suppression: Suppression; removed(): void }) {
  const { isBusy, run } = useOneAtATime();
  const { id, channel, reason, recipient } = suppression;
  if (isByRecipient(suppression)) return <span class="note">Only the recipient or the operator can remove it</span>;
  const who = recipient ?? 'The erased recipient';
  const remove = run(async () => {
    const text = `${who} can get ${channel} messages again from now on, unless another entry is left. ${consequences[reason]}`.trim();
    if (!(await confirm({ title: 'Remove this suppression?', text, action: 'Remove the suppression' }))) return;
    const { message } = await call('delete', '/api/v1/suppressions/{id}', { params: { id } });
    notify(message);
    removed();
  });
  return (
    <button type="button" class="danger" aria-label={`Remove ${who} on ${channel}`} aria-disabled={isBusy.value} onClick={remove}>
      Remove
    </button>
  );
}
