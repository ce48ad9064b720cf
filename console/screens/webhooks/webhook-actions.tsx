/** What can be done with a webhook. */
import { useSignal } from '@preact/signals';
import { call, type Data, type Schema } from '../../api/call.js';
import { isPortal, to } from '../../api/base.js';
import { CopyBlock } from '../../parts/copy.js';
import { Lead } from '../../parts/lead.js';
import { Time } from '../../parts/time.js';
import { useOneAtATime } from '../../state/actions.js';
import { confirm } from '../../state/confirm.js';
import { useShownOnce } from '../../state/shown-once.js';
import { notify } from '../../state/notices.js';
import { reasonOf } from './reasons.js';

type Webhook = Schema<'Webhook'>;

interface Props {
  webhook: Webhook;
  changed(webhook: Webhook): void;
  /** Called when there is a new delivery of a test event. */
  tested(): void;
}

const rotationText =
  'You get a new secret at once. For 24 hours requests carry the signature of the old one, too. If it was also rotated in the last 24 hours, the secret before the old one ends now.';
const unknownRotation =
  'The secret may have been rotated: look at Audit before you try again. Another rotation ends the secret of your receiver at once.';

function useActions({ webhook, changed, tested }: Props) {
  const { isBusy, run } = useOneAtATime();
  const rotated = useShownOnce<Data<'/api/v1/webhooks/{id}/rotate-secret', 'post'>>(
    'secret',
    'Secret rotated. The new one cannot be displayed any more: rotate it again.',
  );
  const portal = useSignal<Schema<'WebhookPortal'> | null>(null);
  const { id, is_active: isActive } = webhook;
  const params = { id };
  const test = run(async (origin) => {
    const { delivery } = await call('post', '/api/v1/webhooks/{id}/test', { params });
    notify(testText(delivery));
    // A secret that is displayed once stays: the list has the delivery, too.
    if (delivery.status === 'succeeded' || rotated.values.value.length > 0) tested();
    else origin.go(to(`webhooks/${id}/deliveries/${delivery.id}`));
  });
  const toggle = run(async () => {
    const { webhook: next } = await call('put', '/api/v1/webhooks/{id}', { params, body: { is_active: !isActive } });
    changed(next);
    notify(isActive ? 'Webhook deactivated. Its events are held.' : 'Webhook activated. Replay the held events to send them.');
  });
  const rotate = run(async () => {
    if (!(await confirm({ title: 'Rotate the secret?', text: rotationText, action: 'Rotate the secret' }))) return;
    const { webhook: next } = await rotated.show(call('post', '/api/v1/webhooks/{id}/rotate-secret', { params, body: {} }));
    changed(next);
  }, unknownRotation);
  const remove = run(async (origin) => {
    const text = 'It gets no more events, and its deliveries are no longer shown. This cannot be undone.';
    if (!(await confirm({ title: 'Delete this webhook?', text, action: 'Delete the webhook' }))) return;
    await call('delete', '/api/v1/webhooks/{id}', { params });
    notify('Webhook deleted.');
    // A step back must not lead to what is gone.
    origin.go(to('webhooks'), true);
  });
  const link = run(async () => {
    portal.value = (await call('post', '/api/v1/webhooks/{id}/portal', { params })).portal;
  });
  return { isBusy, test, toggle, rotate, remove, link, rotated, portal };
}

type Actions = ReturnType<typeof useActions>;

export function WebhookActions(props: Props) {
  const actions = useActions(props);
  const { isBusy, test, rotated, portal } = actions;
  // The one before it signs as long as the overlap lasts, and is not needed any more.
  const last = rotated.values.value.at(-1);
  return (
    <>
      <p class="actions">
        <button type="button" class="primary" aria-disabled={isBusy.value} onClick={test}>
          Send a test event
        </button>
        {!isPortal && <OwnersActions webhook={props.webhook} actions={actions} />}
      </p>
      {portal.value !== null && <PortalLink portal={portal.value} />}
      {last !== undefined && (
        <div>
          <Lead key={last.secret}>
            <strong>{last.warning}</strong>
          </Lead>
          <CopyBlock value={last.secret} label="the new secret" />
          <button type="button" onClick={rotated.stored}>
            I have stored the secret
          </button>
        </div>
      )}
    </>
  );
}

/** What the visitor of a portal may not do. */
function OwnersActions({ webhook, actions: { isBusy, toggle, rotate, link, remove } }: { webhook: Webhook; actions: Actions }) {
  return (
    <>
      <a class="button" href={to(`webhooks/${webhook.id}/edit`)}>
        Change
      </a>
      <button type="button" aria-disabled={isBusy.value} onClick={toggle}>
        {webhook.is_active ? 'Deactivate' : 'Activate'}
      </button>
      <button type="button" aria-disabled={isBusy.value} onClick={rotate}>
        Rotate the secret
      </button>
      <button type="button" aria-disabled={isBusy.value} onClick={link}>
        Link for the receiver's owner
      </button>
      <button type="button" class="danger" aria-disabled={isBusy.value} onClick={remove}>
        Delete
      </button>
    </>
  );
}

function PortalLink({ portal: { url, expires_at: expiresAt } }: { portal: Schema<'WebhookPortal'> }) {
  return (
    <div>
      <Lead key={url}>
        Whoever has this link sees this webhook and its deliveries, and can send them again, until <Time at={expiresAt} />.
      </Lead>
      <CopyBlock value={url} label="the link" />
    </div>
  );
}

function testText({ status, attempts }: Schema<'Delivery'>): string {
  const last = attempts.at(-1);
  if (last === undefined) return 'The test event was sent. The receiver has not responded yet.';
  if (status === 'succeeded')
    return `The receiver acknowledged the test event with ${last.response_status ?? ''} in ${last.duration_ms} ms.`;
  return `The test event failed. ${reasonOf(last) ?? ''}`;
}
