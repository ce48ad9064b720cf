/** The webhooks of the workspace. */
import { useLocation } from 'preact-iso';
import { call, type Schema } from '../../api/call.js';
import { to } from '../../api/base.js';
import { MainLink, Screen } from '../../parts/screen.js';
import { type Column, LongText, type Page, Table } from '../../parts/table.js';
import { useLoad } from '../../state/load.js';
import { WebhookStatus } from './webhook-status.js';

type Webhook = Schema<'Webhook'>;

const columns: readonly Column<Webhook>[] = [
  {
    title: 'URL',
    cell: ({ id, url }) => (
      <a href={to(`webhooks/${id}`)}>
        <LongText text={url} />
      </a>
    ),
    isRowLink: true,
  },
  { title: 'Status', cell: (webhook) => <WebhookStatus webhook={webhook} /> },
  { title: 'Events', cell: ({ events }) => events.map((type) => type.replace('message.', '')).join(', '), isMinor: true },
  { title: 'Description', cell: ({ description }) => <LongText text={description} />, isMinor: true },
];

export function Webhooks() {
  const { cursor } = useLocation().query;
  const page = useLoad<Page<Webhook>>(cursor ?? '', async (signal) => {
    const { webhooks, pagination } = await call('get', '/api/v1/webhooks', { query: { cursor }, signal });
    return { rows: webhooks, pagination };
  });
  return (
    <Screen title="Webhooks" actions={<MainLink href={to('webhooks/new')}>Create a webhook</MainLink>}>
      <Table
        caption="Webhooks"
        page={page}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <p>
            No webhooks yet. A webhook reports to your program what happens to messages.{' '}
            <a href={to('webhooks/new')}>Create the first one</a>
          </p>
        }
      />
    </Screen>
  );
}
