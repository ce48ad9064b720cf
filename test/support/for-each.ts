/** Shared setup of tests. Each function is called in a `describe` and registers hooks that create and remove its objects. */
import { webhookPoster, type WebhookPoster } from '../../activities/webhooks/post-webhook.js';
import type { Webhook } from '../../models/tables/webhook.js';
import { testConfig } from './config.js';
import { freshDatabase, type TestDatabase } from './database.js';
import { buildWebhook, buildWorkspace } from './rows/factories.js';
import { assertBooks } from '../../harness/checks/invariants.js';
import { type Receiver, startReceiver, trustTestAuthority } from './network/receiver.js';

/** Filled by the hooks; read it in hooks and tests. */
export interface WorkspaceTest extends TestDatabase {
  workspaceId: string;
}

export interface DatabaseOptions {
  poolMax?: number;
  /** An empty database for each test, where tests would see rows of others. They leave the schema as it is. */
  forEachTest?: boolean;
  /** After each test the books must balance. */
  checksBooks?: boolean;
}

/** A database per `describe`. Call it first there: hooks run in the order of their registration. */
export function useDatabase({ poolMax = 10, forEachTest = false, checksBooks = false }: DatabaseOptions = {}): TestDatabase {
  const test = {} as TestDatabase;
  let isUsed = false;
  before(async () => {
    Object.assign(test, await freshDatabase(poolMax));
  });
  if (forEachTest) {
    beforeEach(async () => {
      if (isUsed) Object.assign(test, await test.renew());
      isUsed = true;
    });
  }
  if (checksBooks) afterEach(() => assertBooks(test.db));
  after(() => test.drop());
  return test;
}

/** A database per `describe` and a workspace per test. After each test the books must balance. */
export function workspaceForEach({ balance, ...options }: { balance?: number; poolMax?: number } = {}): WorkspaceTest {
  const test = useDatabase({ ...options, checksBooks: true }) as WorkspaceTest;
  beforeEach(async () => {
    test.workspaceId = (await buildWorkspace(test.db, balance)).id;
  });
  return test;
}

export interface WebhookTest extends WorkspaceTest {
  webhook: Awaited<ReturnType<typeof buildWebhook>>;
}

/** The same, with a webhook per test, to which nothing is sent. */
export function webhookForEach(): WebhookTest {
  const test = workspaceForEach() as WebhookTest;
  beforeEach(async () => {
    test.webhook = await buildWebhook(test.workspaceId, 'https://one.example.test/');
  });
  return test;
}

export interface EndpointTest extends WorkspaceTest {
  poster: WebhookPoster;
  receiver: Receiver;
  webhook: Webhook;
}

/** A workspace per test, with a receiver and its webhook. */
export function endpointForEach(): EndpointTest {
  const test = workspaceForEach() as EndpointTest;
  before(async () => {
    await trustTestAuthority();
    test.poster = webhookPoster(testConfig());
  });
  beforeEach(async () => {
    test.receiver = await startReceiver();
    test.webhook = (await buildWebhook(test.workspaceId, test.receiver.url)).row;
  });
  afterEach(() => test.receiver.close());
  after(() => test.poster.close());
  return test;
}
