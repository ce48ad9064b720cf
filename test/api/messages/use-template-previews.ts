import { useApi } from '../use-api.js';

export const template = { name: 'order_update', language: 'en_US' };
export const link = 'https://files.example.com/1042.pdf';
export const button = { index: 0, type: 'url', suffix: 'a' };

/** An API with an account, and its previews of messages with a template. */
export function useTemplatePreviews() {
  const app = useApi();
  let key: string;
  before(async () => {
    key = (await app.account()).key;
  });
  const preview = (body: object) => app.call('POST', '/api/v1/messages/preview', { body, headers: { 'X-API-Key': key } });
  return {
    app,
    key: () => key,
    preview,
    single: (given: unknown, changes: object = {}) =>
      preview({ to: '+15551234567', channel: 'whatsapp', content: { text: 'Hello', template: given }, ...changes }),
    bulk: (given: object, recipients: unknown[]) =>
      preview({ channel: 'whatsapp', content: { text: 'Hello', template: given }, recipients }),
  };
}
