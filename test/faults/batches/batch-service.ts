/** A service for the batches of a test file, and a say in every call of its sms provider. */
import assert from 'node:assert/strict';
import type { OutgoingMessage, Providers, SendOutcome } from '../../../activities/handoff/providers/provider.js';
import { type Account, type Json, type RestClient, restClient, until } from '../../support/client.js';
import { rows } from '../../support/database.js';
import { assertBooks } from '../../../harness/checks/invariants.js';
import { workflowIds } from '../../../workflows/contract.js';
import { type Service, startService } from '../../support/service.js';
import type { BuiltBatch } from '../../support/rows/batches.js';
import { withSandbox } from '../../support/carriers/stub-provider.js';

/** The hooks of `serviceWithBatches` make it and end it. */
export class BatchService {
  service!: Service;
  client!: RestClient;
  /** Calls of the sms provider. */
  readonly calls: OutgoingMessage[] = [];
  /** What a test does with a call before the sandbox has taken the message; an outcome keeps the message from it. */
  beforeTaking: (message: OutgoingMessage) => Promise<SendOutcome | undefined> = async () => undefined;
  /** And after it, with what the sandbox answered. */
  afterTaking: (message: OutgoingMessage, outcome: SendOutcome) => SendOutcome = (_message, outcome) => outcome;

  /** @param withAccounts adds accounts to the sandbox */
  async start(withAccounts = (sandbox: Providers) => sandbox): Promise<void> {
    const observed = (providers: Providers) =>
      withSandbox(providers, (sandbox) => async (message, signal) => {
        this.calls.push(message);
        const early = await this.beforeTaking(message);
        return early ?? this.afterTaking(message, await sandbox.send(message, signal));
      });
    this.service = await startService({
      isHere: true,
      wrapProviders: (providers) => withAccounts(observed(providers)),
      env: { SIGNUP_CREDITS: '1000', REPORT_TIMEOUT_SMS: '5', SANDBOX_DELAY_MS: '20' },
    });
    this.client = restClient(this.service.url);
  }

  leaveCallsAlone(): void {
    this.calls.length = 0;
    this.beforeTaking = async () => undefined;
    this.afterTaking = (_message, outcome) => outcome;
  }

  /** The id of a new batch. */
  async bulk(account: Account, recipients: Json[], more: Json = {}): Promise<string> {
    const answer = await this.#post(account, '/api/v1/messages/bulk', { channel: 'sms', content: { text: 'Hello' }, recipients, ...more });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body.data.batch.id;
  }

  async change(account: Account, id: string, verb: string): Promise<Json> {
    const answer = await this.#post(account, `/api/v1/messages/bulk/${id}/${verb}`);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body.data.batch;
  }

  async get(account: Account, id: string): Promise<Json> {
    return (await this.client.call('GET', `/api/v1/messages/bulk/${id}`, { headers: { 'X-API-Key': account.apiKey } })).body.data.batch;
  }

  async settled(account: Account, id: string): Promise<Json> {
    await until(async () => {
      const [waiting] = await rows<{ count: number }>(
        this.service.db,
        `SELECT count(*) FROM messages WHERE batch_id = $1 AND (status = 'queued' OR status_detail = 'awaiting_report')`,
        [id],
      );
      return waiting?.count === 0;
    }, 'nothing of the batch is open');
    return this.get(account, id);
  }

  /** What the provider has of a batch, and how often it was called for each. */
  takenOf(id: string): Promise<{ calls: number }[]> {
    return rows(
      this.service.db,
      'SELECT s.calls FROM sandbox_messages s JOIN messages m ON m.id = s.idempotency_key WHERE m.batch_id = $1',
      [id],
    );
  }

  /** How many pages of a batch have this event of an activity. */
  async pagesWith({ pages }: BuiltBatch, event: 'Scheduled' | 'Completed'): Promise<number> {
    const { workflow } = this.service.temporal.client;
    const hasEvent = async ({ groupId }: BuiltBatch['pages'][number]) => {
      const handle = workflow.getHandle(workflowIds.page(groupId));
      const history = await handle.fetchHistory().catch(() => undefined);
      return history?.events?.some((entry) => Boolean(entry[`activityTask${event}EventAttributes`])) ?? false;
    };
    return (await Promise.all(pages.map(hasEvent))).filter(Boolean).length;
  }

  #post(account: Account, path: string, body?: Json) {
    return this.client.call('POST', path, { body, headers: { 'X-API-Key': account.apiKey } });
  }
}

/** Called in a `describe`. The books must agree after each test. */
export function serviceWithBatches(): BatchService {
  const test = new BatchService();
  before(() => test.start());
  beforeEach(() => test.leaveCallsAlone());
  afterEach(() => assertBooks(test.service.db));
  after(() => test.service.stop());
  return test;
}

/** Holds back calls until it is opened. */
export class Gate {
  open: () => void = () => undefined;
  readonly passed = new Promise<undefined>((resolve) => {
    this.open = () => resolve(undefined);
  });
}

/** Holds back calls, and lets them pass one by one until it is opened. */
export class Turnstile {
  readonly #waiting: (() => void)[] = [];
  #isOpen = false;

  pass(): Promise<undefined> {
    return new Promise((resolve) => {
      if (this.#isOpen) return resolve(undefined);
      this.#waiting.push(() => resolve(undefined));
    });
  }

  /** The call that has waited longest passes. */
  letOnePass(): void {
    this.#waiting.shift()?.();
  }

  open(): void {
    this.#isOpen = true;
    while (this.#waiting.length > 0) this.letOnePass();
  }
}

/** The number when it has been the same for a moment. */
export async function untilStill(count: () => number): Promise<number> {
  let last = -1;
  let since = Date.now();
  await until(() => {
    if (count() !== last) since = Date.now();
    last = count();
    return last > 0 && Date.now() - since > 2_000;
  }, 'the number stands still');
  return last;
}
