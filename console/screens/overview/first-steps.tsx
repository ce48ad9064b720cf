/** What the owner of a new workspace does first. */
import { to, urlOf } from '../../api/base.js';
import { CopyBlock } from '../../parts/copy.js';

const request = () =>
  [
    `curl ${urlOf('/api/v1/messages/send').href}`,
    `  -H "X-API-Key: $KEY" -H 'Content-Type: application/json'`,
    `  -d '{"to": "+15551234567", "channel": "sms", "content": {"text": "Hello"}}'`,
  ].join(' \\\n');

export const FirstSteps = () => (
  <section class="summary" aria-labelledby="first-steps">
    <h2 id="first-steps">No messages yet</h2>
    <ol>
      <li>
        <a href={to('send')}>Send a message</a> from the console.
      </li>
      <li>
        <a href={to('keys/new')}>Create an API key</a>, with which programs send:
        <CopyBlock value={request()} label="the request" />
      </li>
      <li>
        <a href={to('webhooks/new')}>Create a webhook</a>, which reports to your program what happens to messages.
      </li>
    </ol>
  </section>
);
