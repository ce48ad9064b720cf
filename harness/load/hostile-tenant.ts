/**
 * A hostile tenant that runs every expensive operation at the same time, at or above its limits. It uses its own addresses, and a separate
 * process so that its CPU is not measured as that of the service. See attack-tenant.ts.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { once, setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateApiKey } from '../../models/rules/accounts/api-key.js';
import { openAccount } from './account.js';
import type { Cleanup } from '../stage/cleanup.js';
import { makeKeys, makeWebhooks, storeContacts } from './hostile-setup.js';

/** What the hostile tenant can do. */
export const attackNames = ['sends', 'arrays', 'previews', 'keys', 'callbacks', 'bulk', 'drips', 'reads'] as const;
export type AttackName = (typeof attackNames)[number];

export interface Target {
  baseUrl: string;
  /** Here the contacts that are searched are stored. */
  databaseUrl: string;
  /** The attacks to run. */
  only: readonly AttackName[];
  cleanup: Pick<Cleanup, 'add'>;
}

/** The responses by action: status → count. Status 0 means no response. */
export type Answers = Map<string, Map<number, number>>;

export interface Hostile {
  answers: Answers;
  /** Stops when this aborts. */
  stop(): Promise<void>;
}

const drips = 200;
/** Below the limit of a workspace, 1,000 a minute. */
const readsPerSecond = 15;
/** A search reads them all. */
const contactsStored = 200_000;
/** Many loopback addresses, so that limits per address apply to the hostile tenant only. */
const addressOf = (number: number) => `127.0.1.${1 + (number % 8)}`;

/** Creates keys and webhooks, then starts the attacks. They run until they are stopped. */
export async function attackAsTenant({ baseUrl, databaseUrl, only, cleanup }: Target): Promise<Hostile> {
  const account = await openAccount(baseUrl);
  const answers: Answers = new Map();
  const ending = new AbortController();
  setMaxListeners(0, ending.signal);
  const attack = new Attack(baseUrl, answers, ending.signal);
  const keys = await makeKeys(attack, account);
  const webhooks = await makeWebhooks(attack, account, cleanup);
  if (only.includes('reads')) await storeContacts(databaseUrl, account.email, contactsStored);
  const anyKey = () => keys[Math.floor(Math.random() * keys.length)] ?? '';
  const attacks: Record<AttackName, () => Promise<unknown>[]> = {
    sends: () => [attack.each(20, () => attack.post('sends', '/messages/send', anyKey(), sendBody))],
    arrays: () => [attack.each(4, () => attack.post('100 kB arrays', '/api-keys', account.token, arrayBody))],
    previews: () => [attack.each(3, () => attack.post('4 MB previews', '/messages/preview', anyKey(), previewBody))],
    keys: () => [attack.each(25, () => attack.post('invented keys', '/messages', generateApiKey(), undefined))],
    callbacks: () => [attack.each(10, () => attack.callback())],
    bulk: () => [attack.each(1, () => attack.post('bulk', '/messages/bulk', anyKey(), bulkBody))],
    reads: () => [attack.each(readsPerSecond, () => attack.read(anyKey(), webhooks))],
    drips: () => Array.from({ length: drips }, (_, number) => attack.drip(anyKey(), number)),
  };
  const work = only.flatMap((name) => attacks[name]());
  return {
    answers,
    stop: async () => {
      ending.abort();
      await Promise.allSettled(work);
    },
  };
}

const sms = { to: '+15551234567', channel: 'sms', content: { text: 'Hello' } };
const sendBody = Buffer.from(JSON.stringify(sms));
const arrayBody = Buffer.from(`{"name":"k","scopes":[${'1,'.repeat(50_000)}1]}`);
const hard = { channel: 'email', content: { text: '{{name|x}}'.repeat(190) } };
const many = Array.from({ length: 9_000 }, (_, index) => ({ to: `c${index}@example.com`, name: 'x'.repeat(400) }));
const previewBody = Buffer.from(JSON.stringify({ ...hard, recipients: many }));
const bulkBody = Buffer.from(JSON.stringify({ ...hard, recipients: many.slice(0, 500) }));
const dryRunBody = Buffer.from('{"since":"2020-01-01T00:00:00Z","status":"pending","dry_run":true}');
const callbackBody = randomBytes(500_000); // the body is read only if the signature is well-formed

/** What reads many rows: what, path, body. */
const reads: ((webhook: string) => [what: string, path: string, body?: Buffer])[] = [
  () => ['searches', '/contacts?search=nobody'],
  () => ['late pages', '/contacts?page=1990&limit=100'],
  () => ['late pages', '/messages?page=100&limit=100'],
  () => ['filtered messages', '/messages?status=failed&channel=email&page=2'],
  (webhook) => ['late pages', `/webhooks/${webhook}/deliveries?page=50&limit=100`],
  () => ['usage', '/usage'],
  (webhook) => ['dry runs', `/webhooks/${webhook}/replay`, dryRunBody],
];

class Attack {
  #count = 0;

  constructor(
    private readonly baseUrl: string,
    private readonly answers: Answers,
    private readonly signal: AbortSignal,
  ) {}

  /** Repeats the action at a fixed rate, without waiting for responses. */
  async each(perSecond: number, act: () => Promise<unknown>): Promise<void> {
    const open = new Set<Promise<unknown>>();
    while (!this.signal.aborted) {
      const one: Promise<unknown> = act().finally(() => open.delete(one));
      open.add(one);
      await sleep(1_000 / perSecond);
    }
    await Promise.all(open);
  }

  /** A call with an API key or a JWT. */
  post(what: string, path: string, credential: string, body: Buffer | undefined): Promise<string> {
    const headers = credential.startsWith('tidings_') ? { 'X-API-Key': credential } : { Authorization: `Bearer ${credential}` };
    return this.#exchange(what, `/api/v1${path}`, body, headers);
  }

  /** One of the costly reads, in turn. */
  read(key: string, webhooks: readonly string[]): Promise<string> {
    const webhook = webhooks[this.#count % webhooks.length] ?? '';
    const [what, path, body] = reads[this.#count % reads.length]?.(webhook) ?? ['searches', '/contacts'];
    return this.post(what, path, key, body);
  }

  callback(): Promise<string> {
    const forged = createHmac('sha256', 'not ours').update(callbackBody).digest('hex');
    const headers = { 'X-Sandbox-Timestamp': String(Math.floor(Date.now() / 1000)), 'X-Sandbox-Signature': forged };
    return this.#exchange('1 MB callbacks', '/callbacks/sandbox', callbackBody, headers);
  }

  #exchange(what: string, path: string, body: Buffer | undefined, headers: Record<string, string>): Promise<string> {
    this.#count += 1;
    const localAddress = addressOf(this.#count);
    const options = {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...headers, ...(body && { 'Content-Type': 'application/json', 'Content-Length': String(body.length) }) },
      localAddress,
      timeout: 30_000,
    };
    return new Promise((resolve) => {
      let isAnswered = false;
      const sent = request(new URL(path, this.baseUrl), { ...options, agent: false, signal: this.signal }, (response) => {
        isAnswered = true;
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => void (chunks.length < 64 && chunks.push(chunk)));
        response.on('error', () => resolve(''));
        response.on('end', () => {
          this.#note(what, response.statusCode ?? 0);
          resolve(Buffer.concat(chunks).toString());
        });
      });
      sent.on('timeout', () => sent.destroy());
      sent.on('error', () => {
        // The server may refuse before the whole body was sent; the rest cannot be sent then.
        if (!this.signal.aborted && !isAnswered) this.#note(what, 0);
        resolve('');
      });
      sent.end(body);
    });
  }

  /** Repeats a send whose body arrives byte by byte. */
  async drip(key: string, number: number): Promise<void> {
    const { port, hostname } = new URL(this.baseUrl);
    while (!this.signal.aborted) {
      const socket = connect({ port: Number(port), host: hostname, localAddress: addressOf(number) });
      socket.on('error', () => undefined);
      socket.resume();
      await dripInto(socket, key, this.signal);
      socket.destroy();
      await sleep(50);
    }
  }

  #note(what: string, status: number): void {
    const counts = this.answers.get(what) ?? new Map<number, number>();
    this.answers.set(what, counts);
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }
}

async function dripInto(socket: Socket, key: string, signal: AbortSignal): Promise<void> {
  const closed = once(socket, 'close').catch(() => undefined);
  socket.write(`POST /api/v1/messages/send HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Length: 90000\r\n\r\n`);
  while (!signal.aborted && !socket.destroyed) {
    socket.write('x');
    await Promise.race([closed, sleep(1_000)]);
  }
}
