/** The unsubscribe link in e-mails. It needs no login. */
import { notFound } from '../../../models/errors.js';
import { unsubscribe } from '../../../models/operations/contacts/unsubscribe.js';
import { readUnsubscribeToken } from '../../../models/rules/contacts/unsubscribe.js';
import type { Deps } from '../../deps.js';
import { endpoint } from '../../declare.js';
import { messageOnly } from '../../http/schemas/schemas.js';
import { successTexts } from '../../present/success-texts.js';

const path = '/unsubscribe/:token';

/** @throws AppError 404 if we did not make the token */
function messageIdOf(token: string, { secretKeys }: Deps['config']): string {
  const id = readUnsubscribeToken(secretKeys, token);
  if (id === null) throw notFound();
  return id;
}

export const unsubscribeEndpoint = endpoint({
  id: 'unsubscribe',
  tag: 'unsubscribe',
  method: 'post',
  path,
  summary: 'Unsubscribe the recipient of an e-mail with one click (RFC 8058)',
  // The signed token in the URL authenticates the request. The form that mail programs post is ignored.
  auth: 'provider',
  rate: 'callback',
  response: messageOnly,
  checkHead: ({ params }, { config }) => void messageIdOf(params.token ?? '', config),
  async handler({ params }, { config, db }) {
    if (!(await unsubscribe(db, messageIdOf(params.token, config)))) throw notFound();
    return { message: successTexts.unsubscribed };
  },
});

/** Mail scanners open every link, so only a POST unsubscribes. */
export const describeUnsubscribeEndpoint = endpoint({
  id: 'describeUnsubscribe',
  tag: 'unsubscribe',
  method: 'get',
  path,
  summary: 'Describe the unsubscribe link',
  auth: 'provider',
  rate: 'callback',
  response: messageOnly,
  async handler({ params }, { config }) {
    messageIdOf(params.token, config);
    return { message: successTexts.notUnsubscribed };
  },
});
