/** `tidings webhooks` and `tidings balance` */
import type { NewWebhook, Webhook } from '../client/index.js';
import { choice, type Command, type Context, deliveryStatuses, eventTypes, inWords, takeOnly, textOption, UsageError } from './command.js';
import { counted, plain } from './terminal.js';

/** The options of each action. One that is absent has none. */
const optionsOf: Readonly<Record<string, readonly string[]>> = {
  create: ['events'],
  deliveries: ['status'],
  replay: ['since', 'until', 'status'],
};

const actions: Readonly<Record<string, (context: Context, argument: string) => Promise<void>>> = {
  async create(context, url) {
    const { terminal, signal } = context;
    const tidings = context.tidings();
    const events = textOption(context, 'events')?.split(',') ?? (await tidings.webhooks.events({ signal })).map(({ type }) => type);
    const created = await tidings.webhooks.create({ url, events: events as NewWebhook['events'] }, { signal });
    terminal.print(`${created.webhook.id}\nsecret: ${created.secret}`, created);
    terminal.note(created.warning);
  },
  async delete({ tidings, terminal, signal }, id) {
    await tidings().webhooks.delete(id, { signal });
    terminal.print(`deleted ${id}`, { id });
  },
  async test({ tidings, terminal, signal }, id) {
    const answer = await tidings().webhooks.test(id, { signal });
    terminal.print(`sent: tidings webhooks deliveries ${id} shows what the receiver returned`, answer);
  },
  async deliveries(context, id) {
    const { terminal, signal } = context;
    const status = choice(context, 'status', deliveryStatuses);
    const filters = { limit: 20, ...(status === undefined ? {} : { status }) };
    const { items } = await context.tidings().webhooks.deliveries(id, filters, { signal }).page();
    for (const item of items) {
      const last = item.attempts.at(-1);
      // A receiver that begins a response and does not end it has acknowledged nothing, whatever the status.
      const isBroken = last?.error === 'timeout' || last?.error === 'reset';
      const result = last === undefined ? '' : `${(isBroken ? null : last.response_status) ?? plain(last.error ?? '')}`;
      terminal.print(
        `${item.id}  ${item.created_at}  ${item.status.padEnd(9)}  ${item.event.padEnd(17)}  ${counted(item.attempts.length, 'attempt').padEnd(11)}  ${result}`,
        item,
      );
    }
    if (items.length === 0) terminal.note('no deliveries');
  },
  async resend({ tidings, terminal, signal, positionals: [, , deliveryId = ''] }, id) {
    const answer = await tidings().webhooks.resend(id, deliveryId, { signal });
    terminal.print(`sent: tidings webhooks deliveries ${id} shows what the receiver returned`, answer);
  },
  async replay(context, id) {
    const [since, until] = ['since', 'until'].map((name) => textOption(context, name));
    if (since === undefined) throw new UsageError('--since is required');
    const status = choice(context, 'status', deliveryStatuses);
    const period = { since, ...(until === undefined ? {} : { until }), ...(status === undefined ? {} : { status }) };
    const replay = await context.tidings().webhooks.replay(id, period, { signal: context.signal });
    context.terminal.print(`${replay.id}  ${replay.status}  ${matched(replay.matched)}`, replay);
  },
};

export const webhooks: Command = {
  usage: '[create URL | delete|test|deliveries|replay ID | resend ID DELIVERY]',
  summary: 'list, create, delete and test webhooks, send events again',
  help: `  --events LIST   of a new webhook, such as message.delivered,message.failed
                  (default: all)
  --since TIME    of a replay, ISO 8601: it sends the deliveries from then on again
  --until TIME    its end (default: now)
  --status NAME   of deliveries, or of those that a replay sends:
                  ${inWords(deliveryStatuses)}
                  (default of a replay: failed and held)

Without an action it lists the webhooks. The key needs the scope manage_webhooks.`,
  options: Object.fromEntries([...new Set(Object.values(optionsOf).flat())].map((name) => [name, { type: 'string' } as const])),
  offers: { '': Object.keys(actions), events: eventTypes, status: deliveryStatuses },
  arguments: [0, 3],
  async run(context) {
    const { terminal, signal } = context;
    const [name, argument, second] = context.positionals;
    if (name !== undefined) {
      const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
      const isComplete = argument !== undefined && (second !== undefined) === (name === 'resend');
      if (action === undefined || !isComplete) throw new UsageError(`usage: tidings webhooks ${webhooks.usage}`);
      takeOnly(context, optionsOf[name] ?? [], `webhooks ${name}`);
      return action(context, argument);
    }
    takeOnly(context, [], 'the list of webhooks');
    let count = 0;
    for await (const webhook of context.tidings().webhooks.list({}, { signal })) {
      terminal.print(line(webhook), webhook);
      count += 1;
    }
    if (count === 0) terminal.note('no webhooks');
  },
};

/** Null if there are too many to count. */
const matched = (count: number | null): string => {
  if (count === null) return 'too many deliveries to count match';
  return count === 1 ? '1 delivery matches' : `${count} deliveries match`;
};

const line = ({ id, url, events, is_active }: Pick<Webhook, 'id' | 'url' | 'events' | 'is_active'>) =>
  `${id}  ${is_active ? 'active  ' : 'inactive'}  ${plain(url)}  ${events.join(',')}`;

export const balance: Command = {
  usage: '',
  summary: 'show the credit balance',
  help: '  It has no options.',
  arguments: [0, 0],
  async run({ tidings, terminal, signal }) {
    const found = await tidings().balance({ signal });
    terminal.print(`${counted(found.balance, 'credit')}, ${found.spend_today} spent today`, found);
  },
};
