/** Where the link in a mail leads: one click, no login. */
import { notFound } from '../../../models/errors.js';
import { Message } from '../../../models/tables/message.js';
import { suppress } from '../../../models/operations/contacts/suppress.js';
import { readUnsubscribeToken } from '../../../models/rules/contacts/unsubscribe.js';
import { endpoint } from '../../http/endpoint.js';
import { messageOnly } from '../../http/schemas.js';

const path = '/unsubscribe/:token';

export const unsubscribe = endpoint({
  id: 'unsubscribe.post',
  method: 'post',
  path,
  summary: 'Unsubscribe the recipient of a mail, as mail programs do it (RFC 8058)',
  // The token is the signature; the body is a form of a mail program, and says nothing that the address does not.
  auth: 'provider',
  rate: 'callback',
  refusals: [413],
  response: messageOnly,
  async handler({ params }, { config, db }) {
    const id = readUnsubscribeToken(config.secretKeys, params.token);
    const message = id === null ? null : await Message.findByPk(id);
    if (message === null) throw notFound();
    const { workspace_id, channel, to: recipient } = message;
    await suppress(db, [{ workspace_id, channel, recipient, reason: 'opt_out', source: 'unsubscribe', message_id: message.id }]);
    return { message: 'You will get no more of these e-mails.' };
  },
});

/** Programs that look into mails follow every link: only a POST may change anything. */
export const explainUnsubscribe = endpoint({
  id: 'unsubscribe.explain',
  method: 'get',
  path,
  summary: 'What the unsubscribe link is for',
  auth: 'provider',
  rate: 'callback',
  response: messageOnly,
  async handler({ params }, { config }) {
    if (readUnsubscribeToken(config.secretKeys, params.token) === null) throw notFound();
    return { message: 'Nothing was changed. To get no more of these e-mails, use the unsubscribe button of your mail program.' };
  },
});
