/** Singles at a steady pace and paced batches, sent as a careful client does: each call is repeated with its key until it is answered. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { phones } from '../../support/bulk-requests.js';
import { type Json, restClient } from '../../support/client.js';
import { verifyAndGrant } from '../../support/rows/verify-and-grant.js';
import type { Service } from '../../support/service.js';

export interface Load {
  /** All messages, half of them singles, half of them in batches. */
  messages: number;
  /** Over which the sends are spread. */
  seconds: number;
}

export interface Sends {
  /** Ids in the answers to single sends. */
  singles: string[];
  /** Ids in the answers to bulk sends, with the recipients of each. */
  batches: { id: string; recipients: number }[];
  /** Calls made again because no answer came, or one of 5xx. */
  repeated: number;
  refused: string[];
}

const batchCount = 5;
const repeatAfterMs = 250;
const callMsMax = 30_000;
/** Too slow (the API was frozen during the request), the first call is still under way, too many. */
const mayBeRepeated = new Set([408, 409, 429]);

/** Signs up and begins to send. @returns resolves with what was answered when everything was */
export async function startLoad({ url, db }: Pick<Service, 'url' | 'db'>, { messages, seconds }: Load): Promise<{ ended: Promise<Sends> }> {
  const account = await restClient(url).signUp();
  await verifyAndGrant(db, account.workspaceId, 2_000 * messages);
  const sends: Sends = { singles: [], batches: [], repeated: 0, refused: [] };
  const post = (path: string, body: object) => postUntilAnswered(`${url}/api/v1${path}`, account.apiKey, body, sends);
  const perBatch = Math.floor(messages / 2 / batchCount);
  const singles = messages - perBatch * batchCount;
  const rate = Math.max(1, Math.round(perBatch / seconds));
  const sendBatch = async () => {
    const answer = await post('/messages/bulk', { channel: 'sms', content: { text: 'Hello' }, recipients: phones(perBatch), rate });
    if (answer !== undefined) sends.batches.push({ id: answer.data.batch.id, recipients: perBatch });
  };
  const sendSingle = async (number: number) => {
    const to = `+1666${String(1_000_000 + number)}`;
    const answer = await post('/messages/send', { channel: 'sms', to, content: { text: `Message ${number}` } });
    if (answer !== undefined) sends.singles.push(answer.data.message.id);
  };
  const sendAll = async () => {
    const calls = Array.from({ length: batchCount }, sendBatch);
    for (let number = 0; number < singles; number += 1) {
      calls.push(sendSingle(number));
      await sleep((seconds * 1_000) / singles);
    }
    await Promise.all(calls);
    return sends;
  };
  return { ended: sendAll() };
}

/** @returns the body of the 2xx answer; undefined where the send was refused */
async function postUntilAnswered(url: string, apiKey: string, body: object, sends: Sends): Promise<Json> {
  const headers = { 'X-API-Key': apiKey, 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() };
  for (;;) {
    const init = { method: 'POST', headers, body: JSON.stringify(body), signal: AbortSignal.timeout(callMsMax) };
    const answer = await fetch(url, init)
      .then(async (response) => ({ status: response.status, body: (await response.json()) as Json }))
      .catch(() => undefined);
    if (answer !== undefined && answer.status < 300) return answer.body;
    if (answer !== undefined && answer.status < 500 && !mayBeRepeated.has(answer.status)) {
      sends.refused.push(`${answer.status} ${JSON.stringify(answer.body)}`);
      return undefined;
    }
    sends.repeated += 1;
    await sleep(repeatAfterMs);
  }
}
