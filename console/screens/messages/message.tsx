/** One message: what it is, what it waits for, and its timeline as it happens. */
import { useRoute } from 'preact-iso';
import { call, type Schema } from '../../api/call.js';
import { to } from '../../api/base.js';
import { Chip } from '../../parts/chip.js';
import { Resource } from '../../parts/loaded.js';
import { Screen } from '../../parts/screen.js';
import { Time } from '../../parts/time.js';
import { useOneAtATime } from '../../state/actions.js';
import { confirm } from '../../state/confirm.js';
import { useEvents, useLiveLoad, usePolling, useThrottle } from '../../state/live.js';
import { refreshSoon } from '../../state/session.js';
import { notify } from '../../state/notices.js';
import { Details } from './details.js';
import { Timeline } from './timeline.js';

interface Shown {
  message: Schema<'Message'>;
  timeline: Schema<'Timeline'>;
}

/** Two requests for each read: the events of a message may follow each other at once. */
const readEveryMs = 400;

export function Message() {
  const { id = '' } = useRoute().params;
  const shown = useLiveLoad<Shown>(id, async (signal) => {
    const input = { params: { id }, signal };
    const [{ message }, { timeline }] = await Promise.all([
      call('get', '/api/v1/messages/{id}', input),
      call('get', '/api/v1/messages/{id}/timeline', input),
    ]);
    return { message, timeline };
  });
  const readSoon = useThrottle(shown.reloadQuietly, readEveryMs);
  useEvents({
    event: ({ data }) => data.message_id === id && readSoon(),
    reset: readSoon,
  });
  const waitsFor = shown.data.value?.timeline.waiting_for?.what;
  // Deliveries to webhooks happen after the last event of the message, and have no events.
  usePolling(waitsFor === 'webhook_delivery' ? waitsFor : undefined, shown.reloadQuietly);
  return (
    <Screen title="Message" subject={shown.data.value?.message.to} actions={<a href={to('messages')}>All messages</a>}>
      <Resource of={shown}>
        {({ message, timeline }) => (
          <>
            <Summary message={message} timeline={timeline} reload={shown.reload} />
            <Details message={message} timeline={timeline} />
            <Timeline steps={timeline.steps} />
          </>
        )}
      </Resource>
    </Screen>
  );
}

function Summary({ message, timeline, reload }: Shown & { reload(): void }) {
  const { waiting_for: waiting } = timeline;
  return (
    <section class="summary" aria-label="Status">
      <p role="status">
        <Chip status={message.status} /> {message.status_detail === message.status ? '' : message.status_detail.replaceAll('_', ' ')}
        {message.error_message !== null && <strong>{`: ${message.error_message} (${message.error_code ?? ''})`}</strong>}
      </p>
      {waiting !== null && (
        <p>
          {waiting.text}
          {waiting.until !== null && (
            <>
              {' '}
              until <Time at={waiting.until} />
            </>
          )}
        </p>
      )}
      <p class="actions">
        {message.status === 'queued' && <CancelButton id={message.id} reload={reload} />}
        <a class="button" href={to('send', { copy: message.id })}>
          Send again as a copy
        </a>
        {message.error_code === 'suppressed' && message.to !== null && (
          <a class="button" href={to('suppressions', { recipient: message.to, channel: message.channel })}>
            Show the suppression
          </a>
        )}
        {timeline.workflow_url !== null && (
          <a class="button" href={timeline.workflow_url} target="_blank" rel="noreferrer">
            Workflow in Temporal
          </a>
        )}
      </p>
    </section>
  );
}

function CancelButton({ id, reload }: { id: string; reload(): void }) {
  const { isBusy, run } = useOneAtATime();
  const cancel = run(async () => {
    const text = 'It is not sent, and its credits are refunded. A cancelled message cannot be sent again, only a copy of it.';
    if (!(await confirm({ title: 'Cancel this message?', text, action: 'Cancel the message' }))) return;
    try {
      await call('post', '/api/v1/messages/{id}/cancel', { params: { id } });
      notify('Message cancelled. Its credits are refunded.');
      refreshSoon();
    } finally {
      reload();
    }
  });
  return (
    <button type="button" class="danger" aria-disabled={isBusy.value} onClick={cancel}>
      Cancel
    </button>
  );
}
