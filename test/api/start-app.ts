/** The API on a free port with its own database. In place of Temporal it calls the operations that the worker would call. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp } from '../../api/app.js';
import { issueToken } from '../../api/auth/tokens.js';
import type { Deps } from '../../api/deps.js';
import { createHttpServer, type Timeouts } from '../../api/http/server/http-server.js';
import type { Temporal } from '../../api/outside/temporal.js';
import { ApiKey } from '../../models/tables/api-key.js';
import type { Database } from '../../models/db/database.js';
import { acceptBatch } from '../../models/operations/batches/accept-batch.js';
import { acceptMessages } from '../../models/operations/messages/accept-messages.js';
import { type Scope, scopes } from '../../models/rules/accounts/api-key.js';
import { apiDeps } from '../support/parts/api-deps.js';
import { testConfig } from '../support/config.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { buildWorkspace } from '../support/rows/factories.js';
import { request } from '../support/network/request.js';
import { assertAsDeclared, bodyOf } from '../support/network/response-check.js';

export interface Answer {
  status: number;
  headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into it freely
  body: any;
}

export interface CallOptions {
  key?: string;
  jwt?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface Account {
  workspaceId: string;
  jwt: string;
  key: string;
}

export interface TestApp {
  url: string;
  deps: Deps;
  calls: string[];
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** A workspace with a JWT and a key with these scopes. */
  account(options?: { balance?: number; scopes?: readonly Scope[] }): Promise<Account>;
  close(): Promise<void>;
}

export interface StartOptions {
  /** Overrides the stand-in for Temporal. */
  temporal?: Partial<Temporal>;
  timeouts?: Timeouts;
  /** A database that is left to the caller. By default a new one, which is dropped when the application is closed. */
  database?: TestDatabase;
}

/** Starts the application on a free port. */
export async function startApp(
  env: NodeJS.ProcessEnv = {},
  { temporal = {}, timeouts, database: given }: StartOptions = {},
): Promise<TestApp> {
  const database = given ?? (await freshDatabase());
  const config = testConfig({ DATABASE_URL: database.url, ...env });
  const calls: string[] = [];
  const deps = apiDeps(config, database.db, { ...playedBy(database.db, config.quotas.openBatches, calls), ...temporal });
  const server = createHttpServer(createApp(deps), deps, timeouts).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    deps,
    calls,
    call: (method, path, options) => call(url, method, path, options),
    async account({ balance = 100_000, scopes: wanted = scopes } = {}) {
      const workspace = await buildWorkspace(database.db, balance);
      if (!config.isSandboxOnly) await workspace.update({ email_verified: true });
      const { key } = await ApiKey.issue(config.secretKey, { workspace_id: workspace.id, name: 'test', scopes: wanted });
      return { workspaceId: workspace.id, jwt: issueToken(config.jwtSecret, workspace, 'access').token, key };
    },
    async close() {
      await deps.streams.close();
      await stop(server);
      deps.limiter.close();
      if (given === undefined) await database.drop();
    },
  };
}

/**
 * Replaces a method or another property while this work runs.
 * @returns the result of the work; the tests that follow have what was there before, also if the work fails
 */
export async function whileReplaced<Target extends object, Name extends keyof Target, Result>(
  target: Target,
  name: Name,
  stub: Target[Name],
  work: () => Promise<Result>,
): Promise<Result> {
  const former = target[name];
  target[name] = stub;
  try {
    return await work();
  } finally {
    target[name] = former;
  }
}

/** A Temporal that runs operations at once, or only records the calls. */
function playedBy(db: Database, openBatches: number, calls: string[]): Temporal {
  return {
    accept: ({ groupId }) => acceptMessages(db, groupId),
    acceptBatch: ({ batchId }) => acceptBatch(db, batchId, openBatches),
    wake: async ({ workflowId }) => void calls.push(`wake ${workflowId}`),
    notifyCancelled: async (workflowId) => void calls.push(`cancelled ${workflowId}`),
    notifyPages: async (workflowIds) => void calls.push(...workflowIds.map((workflowId) => `changed ${workflowId}`)),
    attempt: async ({ trigger, deliveryId }) => void calls.push(`${trigger} ${deliveryId}`),
    wakeRetrier: async (webhookId) => void calls.push(`retrier ${webhookId}`),
    wakeWatcher: () => void calls.push('watcher'),
    replay: async ({ webhookId, statuses }) => void calls.push(`replay ${webhookId} ${statuses.join()}`),
    sendMail: async (mailId) => void calls.push(`mail ${mailId}`),
    hasWorker: async () => true,
    close: async () => undefined,
  };
}

async function call(url: string, method: string, path: string, { key, jwt, body, headers = {} }: CallOptions = {}): Promise<Answer> {
  const { text, ...head } = await request(url + path, {
    method,
    headers: {
      ...(key === undefined ? {} : { 'X-API-Key': key }),
      ...(jwt === undefined ? {} : { Authorization: `Bearer ${jwt}` }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
  });
  const answer = { ...head, body: bodyOf(head.headers, text) };
  assertAsDeclared(method, path, answer.status, answer.headers, answer.body);
  return answer;
}

async function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}
