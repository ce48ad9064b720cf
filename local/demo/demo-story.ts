/** The steps of the demo: create a key → create a webhook → send a message → delivered. The signatures of all events are verified. */
import type { DemoClient } from './demo-client.js';
import type { DemoReceiver } from './demo-receiver.js';
import type { Output } from '../output/output.js';
import { StartError } from '../output/start-error.js';

const events = ['message.queued', 'message.sent', 'message.delivered'];

export interface Stage {
  client: DemoClient;
  receiver: DemoReceiver;
  /** host:port of the receiver. */
  receiverAddress: string;
  output: Output;
  signal: AbortSignal;
}

/**
 * Runs the demo and prints one line per step. It always deletes the webhook and the key that it created.
 * @throws Refusal, StartError, or the reason of `signal`
 */
export async function tellStory(stage: Stage, token: string): Promise<void> {
  const { client } = stage;
  const key = await makeKey(stage, token);
  try {
    const webhookId = await makeWebhook(stage, token);
    try {
      await sendAndFollow(stage, key.key);
    } finally {
      await client.call('DELETE', `/webhooks/${webhookId}`, { token }).catch(() => undefined);
    }
  } finally {
    await client.call('DELETE', `/api-keys/${key.id}`, { token }).catch(() => undefined);
  }
}

function makeKey({ client, output }: Stage, token: string): Promise<{ id: string; key: string }> {
  const body = { name: 'story', scopes: ['send_messages', 'read_messages'] };
  return output.step(
    () => client.call<{ id: string; key: string; key_prefix: string }>('POST', '/api-keys', { token, body }),
    ({ key_prefix }) => `API key ${key_prefix} created`,
  );
}

async function makeWebhook({ client, receiver, receiverAddress, output }: Stage, token: string): Promise<string> {
  const body = { url: `https://${receiverAddress}/story`, events };
  const { webhook, secret } = await output.step(
    () => client.call<{ webhook: { id: string }; secret: string }>('POST', '/webhooks', { token, body }),
    () => `webhook ${body.url} created for ${events.join(', ')}`,
  );
  receiver.secret = secret;
  return webhook.id;
}

async function sendAndFollow({ client, receiver, output, signal }: Stage, apiKey: string): Promise<void> {
  const body = { to: '+15551234567', channel: 'sms', content: { text: 'Hello from Tidings' } };
  const { message: sent } = await output.step(
    () => client.call<{ message: Message }>('POST', '/messages/send', { apiKey, body }),
    ({ message }) => `message ${message.id} accepted: ${message.status}, ${message.credits_used} credit`,
  );
  for (const event of events) {
    await output.step(
      () => receiver.eventOf(sent.id, event, signal),
      () => `${event} received, both signatures verified`,
    );
  }
  await output.step(
    async () => {
      const { message } = await client.call<{ message: Message }>('GET', `/messages/${sent.id}`, { apiKey });
      if (message.status !== 'delivered') throw new StartError(`The message should be delivered but is ${message.status}.`);
    },
    () => `message ${sent.id} is delivered`,
  );
}

interface Message {
  id: string;
  status: string;
  credits_used: number;
}
