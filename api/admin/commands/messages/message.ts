import { foundColumns } from '../../../../models/operations/messages/find-messages.js';
import { countText, isUuid, onOneLine } from '../../../../models/rules/values/text.js';
import { Message } from '../../../../models/tables/message.js';
import { Workspace } from '../../../../models/tables/workspace.js';
import { timelineFor } from '../../../endpoints/messages/timeline.js';
import { type Command, UsageError } from '../../command.js';
import { factsOf, type MessageFacts } from '../../message-facts.js';

export const messageCommand: Command = {
  name: 'message',
  takes: ['id'],
  settings: ['DATABASE_URL'],
  summary: 'Show a message of any workspace without its text: status, times, carrier, charge, and its timeline.',
  async run({ positionals: [id = ''] }, { db, config }) {
    if (!isUuid(id)) throw new UsageError('The id must be the id of a message. "messages --to" finds messages by their recipient');
    const found = await Message.findByPk(id, { attributes: [...foundColumns] });
    if (found === null) throw new Error(`there is no message ${id}`);
    const message = factsOf(found.get());
    const workspace = await Workspace.findByPk(message.workspace_id, { attributes: ['name'] });
    const timeline = message.status === 'accepting' ? null : await timelineFor(db, config, message.workspace_id, id);
    return {
      ok: true,
      text: [...factLines(message, workspace?.name ?? ''), ...timelineLines(timeline)].join('\n'),
      data: { message, timeline },
    };
  },
};

type Timeline = Awaited<ReturnType<typeof timelineFor>>;

const times = ['created_at', 'scheduled_at', 'sent_at', 'delivered_at', 'read_at', 'failed_at', 'expires_at', 'erased_at'] as const;

function factLines(message: MessageFacts, workspaceName: string): string[] {
  const { id, workspace_id, batch_id, channel, to, status, status_detail, provider, provider_message_id } = message;
  const carrierId = provider_message_id === null ? '' : `, its id ${provider_message_id}`;
  const facts: [name: string, value: string | null][] = [
    ['message', id],
    ['workspace', `${workspace_id}  ${workspaceName}`],
    ['batch', batch_id],
    ['channel', `${channel} to ${to ?? 'an erased recipient'}`],
    ['status', status_detail === status ? status : `${status} (${status_detail})`],
    ['error', errorText(message)],
    ['carrier', provider === null ? null : `${provider}${carrierId}`],
    ['credits', `${countText(message.charged, 'credit')} charged, costs ${countText(message.credits_used, 'credit')} after refunds`],
    ...times.map((name): [string, string | null] => [name, message[name]?.toISOString() ?? null]),
  ];
  return facts.flatMap(([name, value]) => (value === null ? [] : `${name.padEnd(12)}  ${onOneLine(value)}`));
}

function errorText({ error_code, error_message, provider_error_code }: MessageFacts): string | null {
  if (error_code === null && error_message === null) return null;
  const ofCarrier = provider_error_code === null ? '' : `(code of the carrier: ${provider_error_code})`;
  return [error_code, error_message, ofCarrier].filter(Boolean).join('  ');
}

function timelineLines(timeline: Timeline | null): string[] {
  if (timeline === null) return ['Undecided: not charged; the watcher removes it.'];
  const { waiting_for: waiting, workflow_id, workflow_url, steps } = timeline;
  const until = waiting?.until ? ` (until ${waiting.until})` : '';
  const lines = [
    ...(waiting === null ? [] : [`${'waits for'.padEnd(12)}  ${waiting.text}${until}`]),
    `${'workflow'.padEnd(12)}  ${workflow_url ?? workflow_id}`,
    '',
    ...steps.map(({ at, type, text, details }) => [at, type.padEnd(9), text, ...shownDetails(details)].join('  ')),
  ];
  return lines.map(onOneLine);
}

/** Details that the sentence of a step does not contain. */
const detailNames = [
  'amount',
  'detail',
  'provider_message_id',
  'error_code',
  'message_id',
  'fallback_of',
  'webhook_id',
  'last_response_status',
  'last_error',
  'next_attempt_at',
  'advice',
];

function shownDetails(details: Record<string, unknown>): string[] {
  return detailNames.flatMap((name) => {
    const value = details[name];
    if (value === null || value === undefined) return [];
    if (typeof value === 'number' && name === 'amount') return [countText(value, 'credit')];
    const shown = typeof value === 'string' ? value : JSON.stringify(value).replaceAll('"', ''); // a number or a time
    return [`${name.replaceAll('_', ' ')}: ${shown}`];
  });
}
