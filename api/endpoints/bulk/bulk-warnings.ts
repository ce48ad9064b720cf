import { channelTraits } from '../../../models/channels.js';
import type { Fault } from '../../../models/errors.js';
import { suppressedAmong } from '../../../models/operations/contacts/suppressed-among.js';
import { erasureKey } from '../../../models/operations/erasure/erasure-key.js';
import type { BulkMessage } from '../../../models/rules/bulk/bulk-recipient.js';
import { namesOnList } from '../../../models/rules/contacts/erasure.js';
import { recipientKey } from '../../../models/rules/messages/recipient.js';
import { refusedValues } from '../../../models/rules/messages/whatsapp-template.js';
import { inSlices } from '../../../models/rules/values/in-slices.js';
import { countText } from '../../../models/rules/values/text.js';
import type { Deps } from '../../deps.js';
import { warningsOfUnused } from '../messages/unused-content.js';
import type { BulkBody } from './bulk-schemas.js';
import { lacksSubject, pastSchedule } from '../messages/preview-warnings.js';

/** How many recipients one statement looks for. */
const recipientsAtOnce = 1_000;

/** The warnings of a bulk preview: those of a single one, with the number of messages that they are about. */
export class BulkWarnings {
  /** By their keys. */
  readonly #recipients = new Map<string, string>();
  readonly #refused = new Map<string, { message: string; messages: number }>();
  #withoutSubject = 0;

  constructor(private readonly body: Pick<BulkBody, 'channel' | 'content' | 'scheduled_at' | 'tag'>) {}

  /** Takes a message that would be sent. */
  readonly note = ({ to, content }: BulkMessage): void => {
    const { channel } = this.body;
    this.#recipients.set(recipientKey(channel, to), to);
    if (lacksSubject(channel, content)) this.#withoutSubject += 1;
    for (const { field, message } of channelTraits[channel].hasApprovedTemplates ? refusedValues(content.template) : []) {
      this.#refused.set(field, { message, messages: (this.#refused.get(field)?.messages ?? 0) + 1 });
    }
  };

  /** About the messages that were noted, and the request as a whole. */
  async all(deps: Pick<Deps, 'db' | 'config'>, workspaceId: string): Promise<Fault[]> {
    return [
      ...(await this.#suppressed(deps, workspaceId)),
      ...this.#ofSubject(),
      ...[...this.#refused].map(([field, { message, messages }]) => ({ field, message: `${message} (${countText(messages, 'message')})` })),
      ...warningsOfUnused(this.body),
      ...pastSchedule(this.body, 'the messages are'),
    ];
  }

  async #suppressed({ db, config }: Pick<Deps, 'db' | 'config'>, workspaceId: string): Promise<Fault[]> {
    const { channel, tag } = this.body;
    const key = await erasureKey(db, config.secretKeys);
    let count = 0;
    let asked: string[][] = [];
    const ask = async () => {
      const listed = await suppressedAmong(db, workspaceId, channel, asked.flat());
      count += asked.filter((names) => names.some((name) => listed.has(name))).length;
      asked = [];
    };
    for await (const to of inSlices(this.#recipients.values())) {
      asked.push(namesOnList(key, channel, to));
      if (asked.length === recipientsAtOnce) await ask();
    }
    if (asked.length > 0) await ask();
    if (count === 0) return [];
    const are = count === 1 ? 'is suppressed' : 'are suppressed';
    const messages = count === 1 ? 'its message' : 'their messages';
    const message = `${countText(count, 'recipient')} ${are} on ${channel}: ${messages} would fail and be refunded`;
    return [{ field: tag === undefined ? 'recipients' : 'tag', message }];
  }

  #ofSubject(): Fault[] {
    const count = this.#withoutSubject;
    if (count === 0) return [];
    const get = count === 1 ? 'it gets' : 'they get';
    const message = `content.subject is absent or blank in ${countText(count, 'e-mail')}: ${get} the subject "(no subject)"`;
    return [{ field: 'content.subject', message }];
  }
}
