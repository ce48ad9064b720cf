import type { Temporal } from '../../../api/outside/temporal.js';
import { until } from '../../support/client.js';
import { rows } from '../../support/database.js';
import { type Account, type Answer, whileReplaced } from '../start-app.js';
import { useApi } from '../use-api.js';

/**
 * The set-up of tests of acceptance: a server and an account before each test, and the books audited after it.
 * @param path the endpoint that accepts
 * @param body of each request
 * @param tables that acceptance fills
 */
export function useAcceptance(path: string, body: object, tables: readonly string[]) {
  const app = useApi({ forEachTest: true, checksBooks: true });
  let account: Account;
  const useAccount = async (options?: { balance: number }): Promise<void> => {
    account = await app.account(options);
  };
  beforeEach(() => useAccount());
  const counts = tables.map((table) => `(SELECT count(*) FROM ${table}) AS ${table}`);
  const post = (idempotencyKey?: string, changes: object = {}): Promise<Answer> =>
    app.call('POST', path, {
      key: account.key,
      body: { ...body, ...changes },
      headers: idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey },
    });
  return {
    app,
    /** Sends the requests that follow from another account. */
    useAccount,
    keyInUse: (): string => account.key,
    /** Another API key of the same workspace. */
    otherKey: async (): Promise<string> =>
      (await app.call('POST', '/api/v1/api-keys', { jwt: account.jwt, body: { name: 'other' } })).body.data.key,
    post,
    /** Posts equal requests with one idempotency key, which overlap. */
    postTogether: (count: number, method: Accepting, { asking = count, answer }: Partial<Held> = {}): Promise<Answer[]> =>
      whileHeld(app.deps.temporal, method, { asking, answer }, () => Array.from({ length: count }, () => post('k'))),
    /** Changes the balance without a ledger entry. The test must restore it, because the books are audited afterwards. */
    setBalance: async (thousandths: number): Promise<void> => {
      await rows(app.deps.db, 'UPDATE workspaces SET balance = $2 WHERE id = $1', [account.workspaceId, thousandths]);
    },
    /** The number of rows in each of the tables, and of debits. */
    counted: async (): Promise<Record<string, number>> => {
      const sql = `SELECT ${counts.join(', ')}, (SELECT count(*) FROM credit_entries WHERE kind = 'debit') AS debits`;
      const [row] = await rows<Record<string, number>>(app.deps.db, sql);
      return row ?? {};
    },
    nothing: Object.fromEntries([...tables, 'debits'].map((name) => [name, 0])),
  };
}

type Accepting = 'accept' | 'acceptBatch';

interface Held {
  /** How many requests ask Temporal before it answers any. */
  asking: number;
  /** What Temporal answers instead; by default the operation runs. */
  answer: (() => Promise<never>) | undefined;
}

/** Sends requests, and keeps the answers of Temporal to them back until so many have asked it. */
async function whileHeld(
  temporal: Temporal,
  method: Accepting,
  { asking, answer }: Held,
  send: () => Promise<Answer>[],
): Promise<Answer[]> {
  const decide: (request: never) => Promise<unknown> = answer ?? temporal[method];
  let asked = 0;
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  const held = async (request: never) => {
    asked += 1;
    await opened;
    return decide(request);
  };
  return whileReplaced(temporal, method, held as Temporal[Accepting], async () => {
    const answers = Promise.all(send());
    answers.catch(() => undefined); // otherwise it would hide why too few asked
    try {
      await until(
        () => asked >= asking,
        () => `${asking} requests ask Temporal: ${asked}`,
      );
    } finally {
      open();
    }
    return answers;
  });
}

/** The error of a call that Temporal does not answer. */
export const deadlineExceeded = (): Error => new Error('4 DEADLINE_EXCEEDED');

/** Temporal does not answer. */
export const temporalAway = (): Promise<never> => Promise.reject(deadlineExceeded());
