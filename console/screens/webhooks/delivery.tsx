/** One delivery: what was sent, what the receiver returned, and why it failed. */
import { useRoute } from 'preact-iso';
import { call, type Schema } from '../../api/call.js';
import { isPortal, to } from '../../api/base.js';
import { Chip } from '../../parts/chip.js';
import { CopyValue } from '../../parts/copy.js';
import { Facts } from '../../parts/facts.js';
import { RefreshButton, Resource } from '../../parts/loaded.js';
import { Screen } from '../../parts/screen.js';
import { Time } from '../../parts/time.js';
import { useOneAtATime } from '../../state/actions.js';
import { usePolling } from '../../state/live.js';
import { type Loaded, useLoad } from '../../state/load.js';
import { notify } from '../../state/notices.js';
import { Attempt } from './attempt.js';

export function Delivery() {
  const { id = '', delivery: deliveryId = '' } = useRoute().params;
  const params = { id, delivery_id: deliveryId };
  const loaded = useLoad<Schema<'Delivery'>>(
    `${id} ${deliveryId}`,
    async (signal) => (await call('get', '/api/v1/webhooks/{id}/deliveries/{delivery_id}', { params, signal })).delivery,
  );
  const { status, attempts, event } = loaded.data.value ?? {};
  usePolling(status === 'pending' ? `${deliveryId} ${attempts?.length ?? 0}` : undefined, loaded.reloadQuietly);
  return (
    <Screen title="Delivery" subject={event} actions={<a href={to(`webhooks/${id}`)}>Back to the webhook</a>}>
      <Resource of={loaded}>
        {(delivery) => (
          <>
            <section class="summary" aria-label="Status">
              <Summary delivery={delivery} />
              <Resend params={params} loaded={loaded} />
            </section>
            <h2>Attempts</h2>
            {delivery.attempts.length === 0 && <NoAttempts status={delivery.status} />}
            {delivery.attempts.toReversed().map((attempt) => (
              <Attempt key={attempt.number} attempt={attempt} />
            ))}
          </>
        )}
      </Resource>
    </Screen>
  );
}

/** The retention deletes attempts before their deliveries. A delivery that failed or is held may never have had one. */
const NoAttempts = ({ status }: Pick<Schema<'Delivery'>, 'status'>) => (
  <p>{status === 'pending' ? 'None yet.' : 'No attempt was made, or the attempts were deleted.'}</p>
);

function Summary({ delivery }: { delivery: Schema<'Delivery'> }) {
  return (
    <>
      <p role="status">
        <Chip status={delivery.status} /> {delivery.event}
      </p>
      <Facts
        facts={[
          ['Created', <Time key="created" at={delivery.created_at} />],
          ['Delivered', delivery.delivered_at && <Time at={delivery.delivered_at} />],
          ['Next attempt', delivery.next_attempt_at && <Time at={delivery.next_attempt_at} />],
          ['Message', delivery.message_id && <MessageId id={delivery.message_id} />],
          ['Id', <CopyValue key="id" value={delivery.id} label="the id" />],
        ]}
      />
    </>
  );
}

const MessageId = ({ id }: { id: string }) => (isPortal ? <code>{id}</code> : <a href={to(`messages/${id}`)}>{id}</a>);

function Resend({ params, loaded }: { params: { id: string; delivery_id: string }; loaded: Loaded<Schema<'Delivery'>> }) {
  const { isBusy, run } = useOneAtATime();
  const resend = run(async () => {
    const { delivery } = await call('post', '/api/v1/webhooks/{id}/deliveries/{delivery_id}/resend', { params });
    loaded.replace(delivery);
    notify('Delivery sent again.');
  });
  return (
    <p class="actions">
      <button type="button" class="primary" aria-disabled={isBusy.value} onClick={resend}>
        Send again
      </button>
      <RefreshButton of={loaded} />
    </p>
  );
}
