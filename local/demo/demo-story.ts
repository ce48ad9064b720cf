/** The steps of the demo: create a key → create a webhook → send a message → delivered. The signatures of all events are verified. */
import type { DemoClient } from './demo-client.js';
import type { DemoReceiver } from './demo-receiver.js';
import type { Output } from '../processes/output.js';
import { StartError } from '../plan/start-error.js';

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

async function makeKey({ client, output }: Stage, token: string): Promise<{ id: string; key: string }> {
  let made = { id: '', key: '', key_prefix: '' };
  await output.step(async () => {
    made = await client.call('POST', '/api-keys', { token, body: { name: 'story', scopes: ['send_messages', 'read_messages'] } });
    return `API key ${made.key_prefix} made`;
  });
  return made;
}

async function makeWebhook({ client, receiver, receiverAddress, output }: Stage, token: string): Promise<string> {
  let id = '';
  await output.step(async () => {
    const body = { url: `https://${receiverAddress}/story`, events };
    const made = await client.call<{ webhook: { id: string }; secret: string }>('POST', '/webhooks', { token, body });
    receiver.secret = made.secret;
    id = made.webhook.id;
    return `webhook ${body.url} made for ${events.join(', ')}`;
  });
  return id;
}

async function sendAndFollow({ client, receiver, output, signal }: Stage, apiKey: string): Promise<void> {
  let messageId = '';
  await output.step(async () => {
    const body = { to: '+15551234567', channel: 'sms', content: { text: 'Hello from Tidings' } };
    const { message } = await client.call<{ message: Message }>('POST', '/messages/send', { apiKey, body });
    messageId = message.id;
    return `message ${message.id} accepted: ${message.status}, ${message.credits_used} credit`;
  });
  for (const event of events) {
    await output.step(async () => {
      await receiver.eventOf(messageId, event, signal);
      return `${event} received, both signatures verified`;
    });
  }
  await output.step(async () => {
    const { message } = await client.call<{ message: Message }>('GET', `/messages/${messageId}`, { apiKey });
    if (message.status !== 'delivered') throw new StartError(`The message should be delivered but is ${message.status}.`);
    return `message ${messageId} is delivered`;
  });
}

interface Message {
  id: string;
  status: string;
  credits_used: number;
}
