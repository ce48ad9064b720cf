/** A REST client like that of a user, with the calls that many tests need. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../models/db/database.js';
import { eventTypes } from '../../models/rules/webhooks/events.js';
import { verifyAndGrant } from './rows/verify-and-grant.js';
import { request } from './network/request.js';
import { assertAsDeclared } from './network/response-check.js';

// oxlint-disable-next-line typescript/no-explicit-any -- tests assert on arbitrary responses
export type Json = any;

export interface Answer {
  status: number;
  headers: Headers;
  body: Json;
}

interface CallOptions {
  body?: unknown;
  headers?: Record<string, string>;
}

export interface Account {
  token: string;
  apiKey: string;
  workspaceId: string;
  email: string;
  password: string;
}

export interface RestClient {
  /** Fails if the response does not match the OpenAPI document. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** A new workspace, logged in, with an API key of all scopes. */
  signUp(): Promise<Account>;
  /** Sends with the account's key; asserts 201 and returns the message. */
  send(account: Account, message?: Json, headers?: Record<string, string>): Promise<Json>;
  /** Waits until the message matches. */
  messageUntil(account: Account, id: string, matches: (message: Json) => boolean): Promise<Json>;
  /** Creates a webhook for all events. @returns it with its secret */
  hook(account: Account, url: string, events?: string[]): Promise<{ id: string; secret: string }>;
}

/** Ignores failed requests while the service is not available. Responses are still checked. */
function awayOnly(error: unknown): undefined {
  if (error instanceof assert.AssertionError) throw error;
}

const signUpThousandths = 1_000_000;
/** If a signal is lost, the watcher repairs its message within a minute, or within two on a busy machine. */
const patienceMs = 120_000;
const pollMs = { min: 10, max: 250, shareOfWait: 0.1 };

/** Sleeps until the next look, for a tenth of the wait so far. Each look takes CPU from the work that the test waits for. */
const pause = (since: number) => sleep(Math.min(pollMs.max, Math.max(pollMs.min, pollMs.shareOfWait * (Date.now() - since))));

/** @param db needed if a real carrier is configured: new workspaces are verified and get 1,000 credits then */
export const restClient = (baseUrl: string, db?: Database): RestClient => new HttpClient(baseUrl, db);

class HttpClient implements RestClient {
  constructor(
    private readonly baseUrl: string,
    private readonly db: Database | undefined,
  ) {}

  async call(method: string, path: string, { body, headers = {} }: CallOptions = {}): Promise<Answer> {
    const { text, ...head } = await request(`${this.baseUrl}${path}`, {
      method,
      headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    });
    const answer = { ...head, body: text === '' ? null : JSON.parse(text) };
    assertAsDeclared(method, path, answer.status, answer.headers, answer.body);
    return answer;
  }

  async signUp(): Promise<Account> {
    const email = `${randomUUID()}@example.test`;
    const password = 'correct horse battery';
    const signedUp = await this.call('POST', '/api/v1/auth/signup', { body: { email, password, company_name: 'Acme' } });
    assert.equal(signedUp.status, 201, JSON.stringify(signedUp.body));
    const login = await this.call('POST', '/api/v1/auth/login', { body: { email, password } });
    const token: string = login.body.data.token;
    const key = await this.call('POST', '/api/v1/api-keys', { body: { name: 'test' }, headers: bearer(token) });
    const workspaceId: string = signedUp.body.data.workspace.id;
    if (this.db !== undefined) await verifyAndGrant(this.db, workspaceId, signUpThousandths);
    return { email, password, token, apiKey: key.body.data.key, workspaceId };
  }

  async send({ apiKey }: Account, message: Json = {}, headers: Record<string, string> = {}): Promise<Json> {
    const body = { to: '+15551234567', channel: 'sms', content: { text: 'Hello' }, ...message };
    const answer = await this.call('POST', '/api/v1/messages/send', { body, headers: { 'X-API-Key': apiKey, ...headers } });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body.data.message;
  }

  async messageUntil({ apiKey }: Account, id: string, matches: (message: Json) => boolean): Promise<Json> {
    let message: Json;
    let seen = 'no answer';
    await until(
      async () => {
        const answer = await this.call('GET', `/api/v1/messages/${id}`, { headers: { 'X-API-Key': apiKey } }).catch(awayOnly);
        if (answer !== undefined) seen = JSON.stringify(answer.body);
        message = answer?.body?.data?.message;
        return message !== undefined && matches(message);
      },
      () => `message ${id} matches; the last answer: ${seen}`,
    );
    return message;
  }

  async hook({ token }: Account, url: string, events: readonly string[] = eventTypes): Promise<{ id: string; secret: string }> {
    const answer = await this.call('POST', '/api/v1/webhooks', { body: { url, events }, headers: bearer(token) });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return { id: answer.body.data.webhook.id, secret: answer.body.data.secret };
  }
}

export const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

/** Waits until the condition is true. A failed assertion ends it; other errors count as false, and the last one is the cause of the failure. */
export async function until(
  condition: () => Promise<boolean> | boolean,
  what: string | (() => string),
  patience = patienceMs,
): Promise<void> {
  const started = Date.now();
  for (let problem: unknown; ; await pause(started)) {
    try {
      if (await condition()) return;
      problem = undefined;
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      problem = error;
    }
    if (Date.now() - started > patience) throw new Error(`did not happen: ${typeof what === 'string' ? what : what()}`, { cause: problem });
  }
}
