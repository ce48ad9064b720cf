/**
 * An API client over persistent connections. autocannon would not do: it counts responses, but here a message counts when it is done. It also
 * cannot repeat a request with the same idempotency key.
 */
import { Agent, request, type RequestOptions } from 'node:http';

export interface Answer {
  status: number;
  body: string;
}

/** Calls of the API. Each call throws an error if the response is missing or incomplete. */
export interface Sender {
  /** One attempt to send the message with this number. */
  post(number: number, idempotencyKey?: string): Promise<Answer>;
  /** Sends a message with this body. */
  postMessage(body: object): Promise<Answer>;
  /** One attempt to send a batch to this many recipients, optionally at this rate. */
  postBulk(recipients: number, idempotencyKey?: string, rate?: number): Promise<Answer>;
  /** Sends a batch with this body. */
  postBatch(body: object): Promise<Answer>;
  /** Posts this body to another path. */
  postTo(path: string, body: object): Promise<Answer>;
  /** Any other API call, without a body. */
  call(method: 'GET' | 'POST', path: string): Promise<Answer>;
}

const timeoutMs = 20_000;

/** Creates a sender with one connection per concurrent send. */
export function createSender(baseUrl: string, apiKey: string): Sender {
  // All connections are kept, because connecting for every send would be a different kind of load.
  const agent = new Agent({ keepAlive: true, maxFreeSockets: Number.POSITIVE_INFINITY });
  const exchangeWith = (method: string, path: string, body = '', idempotencyKey?: string) => {
    const headers = { 'X-API-Key': apiKey, ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }) };
    return exchange(new URL(`/api/v1${path}`, baseUrl), { method, agent, headers }, body);
  };
  const postTo = (path: string, body: object) => exchangeWith('POST', path, JSON.stringify(body));
  return {
    post: (number, key) => exchangeWith('POST', '/messages/send', bodyOf(number), key),
    postMessage: (body) => postTo('/messages/send', body),
    postBulk: (recipients, key, rate) => exchangeWith('POST', '/messages/bulk', bulkBodyOf(recipients, rate), key),
    postBatch: (body) => postTo('/messages/bulk', body),
    postTo,
    call: (method, path) => exchangeWith(method, path),
  };
}

/** The message id of a successful response. */
export const messageIdOf = (answer: Answer): string => dataOf<{ message: { id: string } }>(answer, 201).message.id;
/** The batch id of a successful response. */
export const batchIdOf = (answer: Answer): string => dataOf<{ batch: { id: string } }>(answer, 201).batch.id;

/** The `data` of a response with this status. */
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
