import { type Channel, channelTraits } from '../../../models/channels.js';
import type { Config } from '../../../models/settings/config.js';
import { invalidField } from '../../../models/errors.js';
import { oneListKinds } from '../../../models/rules/routing/provider-kinds.js';
import { channelsOf } from '../../../models/rules/messages/fallback.js';
import { partApart } from '../../../models/rules/messages/whatsapp-template.js';
import type { SendBody } from './message-schemas.js';

/**
 * Called after the idempotency look-up: a repeated request gets its first response even if the provider accounts have changed.
 * @throws AppError 400 when no account of one of its channels supports the header or buttons of the template
 */
export function assertTemplateSupported(
  { routes, accounts }: Pick<Config, 'routes' | 'accounts'>,
  body: Pick<SendBody, 'channel' | 'content' | 'fallback'>,
): void {
  const part = partApart(body.content.template);
  if (part === null) return;
  const used = channelsOf(body).filter((one) => channelTraits[one].hasApprovedTemplates);
  const accountsOf = (one: Channel) => accounts.filter(({ name }) => routes[one].some(({ account }) => account === name));
  const unable = used.map(accountsOf).find((all) => all.every(({ kind }) => oneListKinds.has(kind)));
  if (unable === undefined) return;
  const field = `content.template.${part}`;
  throw invalidField(
    field,
    `${field} cannot be sent by ${unable.map(({ name }) => name).join(', ')}: its values belong in content.template.variables`,
  );
}
