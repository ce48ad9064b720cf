/**
 * Calls of the API over kept-alive connections. Not autocannon: that counts answers, and here a message counts when it is
 * done; nor can it repeat an unanswered request with its own idempotency key.
 */
import { Agent, request, type RequestOptions } from 'node:http';

export interface Answer {
  status: number;
  body: string;
}

/** A call; each @throws Error when no whole answer comes. */
export interface Sender {
  /** One attempt at sending the message with this number. */
  post(number: number, idempotencyKey?: string): Promise<Answer>;
  /** A message of one's own words. */
  postMessage(body: object): Promise<Answer>;
  /** One attempt at sending messages to so many recipients, at this rate where one is given. */
  postBulk(recipients: number, idempotencyKey?: string, rate?: number): Promise<Answer>;
  /** A batch of one's own words. */
  postBatch(body: object): Promise<Answer>;
  /** Any other call of the API, with a body or without. */
  postTo(path: string, body: object): Promise<Answer>;
  call(method: 'GET' | 'POST', path: string): Promise<Answer>;
}

const timeoutMs = 20_000;

/** A sender with a connection for every send that is open at once. */
export function createSender(baseUrl: string, apiKey: string): Sender {
  // All connections stay: a client that connects anew for every send would be another load.
  const agent = new Agent({ keepAlive: true, maxFreeSockets: Number.POSITIVE_INFINITY });
  const exchangeWith = (method: string, path: string, body = '', idempotencyKey?: string) => {
    const headers = { 'X-API-Key': apiKey, ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }) };
    return exchange(new URL(`/api/v1${path}`, baseUrl), { method, agent, headers }, body);
  };
  return {
    post: (number, key) => exchangeWith('POST', '/messages/send', bodyOf(number), key),
    postMessage: (body) => exchangeWith('POST', '/messages/send', JSON.stringify(body)),
    postBulk: (recipients, key, rate) => exchangeWith('POST', '/messages/bulk', bulkBodyOf(recipients, rate), key),
    postBatch: (body) => exchangeWith('POST', '/messages/bulk', JSON.stringify(body)),
    postTo: (path, body) => exchangeWith('POST', path, JSON.stringify(body)),
    call: (method, path) => exchangeWith(method, path),
  };
}

/** Reads the message's id out of a successful answer. */
export const messageIdOf = (answer: Answer): string => dataOf<{ message: { id: string } }>(answer, 201).message.id;
/** The same for a batch. */
export const batchIdOf = (answer: Answer): string => dataOf<{ batch: { id: string } }>(answer, 201).batch.id;

/** What an answer of this status carries. */
export function dataOf<Data>({ status, body }: Answer, expected = 200): Data {
  if (status !== expected) throw new Error(`the API answered ${status}: ${body.slice(0, 300)}`);
  return (JSON.parse(body) as { data: Data }).data;
}

const numberOf = (number: number) => `+1555${String(2_000_000 + (number % 7_000_000))}`;

/** The body of the message with this number. */
export const bodyOf = (number: number) =>
  JSON.stringify({
    to: numberOf(number),
    channel: 'sms',
    content: { text: `Your order ${number} is on its way.` },
    reference: `bench-${number}`,
  });

function bulkBodyOf(count: number, rate?: number): string {
  const recipients = Array.from({ length: count }, (_, number) => ({ to: numberOf(number), name: `Customer ${number}` }));
  return JSON.stringify({ channel: 'sms', content: { text: 'Dear {{name}}, your order is on its way.' }, recipients, rate });
}

function exchange(url: URL, options: RequestOptions, body: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      ...options,
      timeout: timeoutMs,
      headers: {
        ...options.headers,
        ...(body === '' ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
      },
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
