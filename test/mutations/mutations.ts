/** Deliberate faults in what must never break: each names the test that has to notice. */
import { lockMutations } from './lock-mutations.js';
import { moneyMutations } from './money-mutations.js';
import { routingMutations } from './routing-mutations.js';

export interface Mutation {
  /** What the code guards before the mutation. */
  guards: string;
  /** Source file, from the root of the project. */
  file: string;
  /** Text that occurs in it exactly once. */
  find: string;
  replace: string;
  /** Test file that must fail, below test/, without its ending. */
  test: string;
}

export const mutations: readonly Mutation[] = [
  {
    guards: 'a report is stored once',
    file: 'models/migrations/0001-initial.sql',
    find: 'UNIQUE (provider, provider_message_id, status)',
    replace: 'CHECK (true)',
    test: 'models/operations/record-reports',
  },
  {
    guards: 'one message for each idempotency key',
    file: 'models/migrations/0001-initial.sql',
    find: 'CREATE UNIQUE INDEX messages_idempotency',
    replace: 'CREATE INDEX messages_idempotency',
    test: 'api/accept',
  },
  {
    guards: 'one workspace for each address',
    file: 'models/migrations/0001-initial.sql',
    find: 'CREATE UNIQUE INDEX workspaces_email',
    replace: 'CREATE INDEX workspaces_email',
    test: 'api/accounts',
  },
  {
    guards: 'the state guard',
    file: 'models/operations/record-statuses.ts',
    find: 'm.status = ANY($3::text[]) AND',
    replace: '$3::text[] IS NOT NULL AND',
    test: 'models/operations/record-statuses',
  },
  {
    guards: 'the rank rule',
    file: 'models/rules/status.ts',
    find: "delivered: ['sent', 'failed'],",
    replace: "delivered: ['sent', 'failed', 'read'],",
    test: 'models/rules/status',
  },
  {
    guards: 'the order in which reports apply',
    file: 'models/rules/status.ts',
    find: "reportOrder = ['sent', 'delivered', 'failed', 'read']",
    replace: "reportOrder = ['sent', 'failed', 'delivered', 'read']",
    test: 'models/operations/contradicting-reports',
  },
  {
    guards: 'the fence',
    file: 'models/operations/fence-messages.ts',
    find: "AND status = 'accepting' RETURNING",
    replace: 'RETURNING',
    test: 'models/operations/fence-messages',
  },
  {
    guards: 'too late to cancel',
    file: 'models/operations/cancel-message.ts',
    find: " details: ['scheduled', 'accepted'],",
    replace: '',
    test: 'models/operations/cancel-message',
  },
  {
    guards: 'the order of deliveries',
    file: 'models/operations/due-deliveries.ts',
    find: 'NOT d.in_child) ORDER BY d.seq, d.id',
    replace: 'NOT d.in_child) ORDER BY d.seq DESC, d.id',
    test: 'models/operations/due-deliveries',
  },
  {
    guards: 'the scope of a key',
    file: 'api/authenticate.ts',
    find: 'if (needed !== null && caller?.scopes?.includes(needed) === false) throw missingScope(needed);',
    replace: '',
    test: 'api/matrix-credentials',
  },
  {
    guards: 'the deactivation of a key',
    file: 'api/authenticate.ts',
    find: 'if (!key.is_active) throw deactivatedApiKey();',
    replace: '',
    test: 'api/matrix-credentials',
  },
  {
    guards: 'the token version',
    file: 'models/operations/accounts/identify-session.ts',
    find: 'w.token_version = $2',
    replace: '$2::integer IS NOT NULL',
    test: 'api/passwords',
  },
  {
    guards: 'a reset token is used once',
    file: 'models/operations/reset-password.ts',
    find: 'AND used_at IS NULL AND',
    replace: 'AND',
    test: 'api/passwords',
  },
  {
    guards: 'a verification token expires',
    file: 'models/operations/verify-email.ts',
    find: ' AND t.expires_at > now()',
    replace: '',
    test: 'api/accounts',
  },
  {
    guards: 'whose row it is',
    file: 'models/owned.ts',
    find: 'where = { id, workspace_id: workspaceId } as',
    replace: 'where = { id } as',
    test: 'api/isolation',
  },
  {
    guards: 'the digest of an idempotent request',
    file: 'api/accept.ts',
    find: 'found.request_digest?.equals(digest) !== true',
    replace: 'found.request_digest === undefined',
    test: 'api/accept',
  },
  {
    guards: 'the key of the webhook signature',
    file: 'models/rules/signature.ts',
    find: "createHmac('sha256', secret).update(body)",
    replace: "createHmac('sha256', secret.slice(6)).update(body)",
    test: 'models/rules/signature',
  },
  {
    guards: "the compare of a callback's signature",
    file: 'models/rules/same-secret.ts',
    find: ' && timingSafeEqual(one, other)',
    replace: '',
    test: 'models/rules/sandbox-callback',
  },
  {
    guards: 'the place of a certificate of SNS',
    file: 'models/rules/callbacks/sns.ts',
    find: 'url.startsWith(snsBase) && ',
    replace: '',
    test: 'models/rules/ses-callback',
  },
  {
    guards: 'the order in which callbacks store reports',
    file: 'models/operations/record-reports.ts',
    find: 'ORDER BY r.provider, r.provider_message_id, r.status',
    replace: '',
    test: 'models/operations/report-races',
  },
  {
    guards: 'the outcome of a report that is replayed',
    file: 'models/operations/apply-reports.ts',
    find: "outcome = CASE WHEN d.outcome = 'applied' THEN d.outcome ELSE o.outcome END",
    replace: 'outcome = o.outcome',
    test: 'models/operations/replay-reports',
  },
  {
    guards: 'link-local addresses are guarded',
    file: 'models/rules/address.ts',
    find: ' 169.254.0.0/16',
    replace: '',
    test: 'models/rules/address',
  },
  {
    guards: 'IPv6 that carries IPv4 is guarded',
    file: 'models/rules/address.ts',
    find: ' 2002::/16',
    replace: '',
    test: 'models/rules/address',
  },
  ...lockMutations,
  ...moneyMutations,
  ...routingMutations,
];
