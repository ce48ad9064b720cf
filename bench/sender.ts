/**
 * Sends single messages over kept-alive connections. Not autocannon: that counts answers, and here a message counts when it is
 * done; nor can it repeat an unanswered request with its own idempotency key.
 */
import { Agent, request } from 'node:http';

export interface Answer {
  status: number;
  body: string;
}

export interface Sender {
  /**
   * One attempt at sending the message with this number.
   * @throws Error when no whole answer comes
   */
  post(number: number, idempotencyKey?: string): Promise<Answer>;
}

const timeoutMs = 20_000;

/** A sender with a connection for every send that is open at once. */
export function createSender(baseUrl: string, apiKey: string): Sender {
  const agent = new Agent({ keepAlive: true });
  const url = new URL('/api/v1/messages/send', baseUrl);
  return {
    post: (number, idempotencyKey) => {
      const headers = { 'X-API-Key': apiKey, ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }) };
      return exchange(url, agent, headers, bodyOf(number));
    },
  };
}

/** Reads the message's id out of a successful answer. */
export function messageIdOf({ status, body }: Answer): string {
  if (status !== 201) throw new Error(`the API answered ${status}: ${body.slice(0, 300)}`);
  return (JSON.parse(body) as { data: { message: { id: string } } }).data.message.id;
}

function bodyOf(number: number): string {
  const to = `+1555${String(2_000_000 + (number % 7_000_000))}`;
  return JSON.stringify({ to, channel: 'sms', content: { text: `Your order ${number} is on its way.` }, reference: `bench-${number}` });
}

function exchange(url: URL, agent: Agent, headers: Record<string, string>, body: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: 'POST',
      agent,
      timeout: timeoutMs,
      headers: { ...headers, 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) },
    });
    sent.on('timeout', () => sent.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)));
    sent.on('error', reject);
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        if (response.complete) resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') });
        else reject(new Error('the answer broke off'));
      });
    });
    sent.end(body);
  });
}
