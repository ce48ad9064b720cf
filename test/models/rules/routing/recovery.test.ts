import assert from 'node:assert/strict';
import { createProviders } from '../../../../activities/handoff/providers/index.js';
import { channels } from '../../../../models/channels.js';
import { connect } from '../../../../models/db/database.js';
import { repeatableAccounts, type RestoredMessage, suspectedAccounts, verdictOf } from '../../../../models/rules/routing/recovery.js';
import type { Config } from '../../../../models/settings/config.js';
import { testConfig } from '../../../support/config.js';
import { nowhere } from '../../../support/carriers/counterpart.js';
import { everyCarrierEnv } from '../../../support/carriers/every-carrier.js';

const stoppedAt = new Date('2026-11-20T08:00:00Z');
const message = (overrides: Partial<RestoredMessage> = {}): RestoredMessage => ({
  scheduled_at: null,
  status_detail: 'accepted',
  batch_status: null,
  uncertain_at: [],
  ...overrides,
});
const at = (text: string) => ({ scheduled_at: new Date(text) });

describe('a restored message that waits for its hand-off', () => {
  const verdicts: [string, Partial<RestoredMessage>, string][] = [
    ['may have been handed off if it has no scheduled time', {}, 'uncertain'],
    ['may have been handed off if it was due before the stop', at('2026-11-20T07:59:00Z'), 'uncertain'],
    ['may have been handed off if it was due as the last worker stopped', at('2026-11-20T08:00:01Z'), 'uncertain'],
    ['stays scheduled if it was due after the stop', at('2026-11-20T08:00:02Z'), 'scheduled'],
    ['may have been handed off although its batch is paused', { batch_status: 'paused' }, 'uncertain'],
    ['is cancelled if its batch was cancelled', { batch_status: 'cancelled' }, 'cancelled'],
    ['is cancelled if its scheduled batch was cancelled', { batch_status: 'cancelled', status_detail: 'scheduled' }, 'cancelled'],
    [
      'may have been handed off if its call was open when its batch was cancelled',
      { batch_status: 'cancelled', status_detail: 'sending' },
      'uncertain',
    ],
    ['may have been handed off if an earlier call was uncertain', { ...at('2026-11-21T08:00:00Z'), uncertain_at: ['twilio'] }, 'uncertain'],
  ];
  for (const [what, overrides, verdict] of verdicts) {
    it(`a restored message ${what}`, () => assert.equal(verdictOf(message(overrides), stoppedAt), verdict));
  }
});

describe('the accounts that may have a message', () => {
  const env = everyCarrierEnv(nowhere);
  const smtp = { EMAIL_SMTP_URL: 'smtp://127.0.0.1:1', PROVIDER_EMAIL: `smtp=0,${env.PROVIDER_EMAIL}` };
  const carriers = testConfig({ ...env, ...smtp });

  const providersOf = async (config: Config) => {
    const db = connect(config.databaseUrl, 1);
    const { accounts } = createProviders(config, { db, delayMs: 0, onTaken: () => undefined });
    await db.close();
    return accounts;
  };

  for (const [what, config] of [
    ['carriers', carriers],
    ['the sandbox', testConfig()],
  ] as const) {
    it(`a message may be at any account of its channel, and those without queries come last, with ${what}`, async () => {
      const accounts = await providersOf(config);
      const doubt = (name: string) => {
        const provider = accounts.get(name);
        assert.ok(provider !== undefined);
        if (provider.idempotent) return 0;
        return provider.reconcile === undefined ? 2 : 1;
      };
      for (const channel of channels) {
        const suspected = suspectedAccounts(config, channel, []);
        assert.deepEqual(suspected.toSorted(), config.routes[channel].map(({ account }) => account).toSorted());
        const doubts = suspected.map(doubt);
        assert.deepEqual(
          doubts,
          doubts.toSorted((one, other) => one - other),
        );
      }
    });
  }

  it('the accounts that are asked again about a lost response are those that can repeat the call or find the message', async () => {
    const providers = [...(await providersOf(carriers)).values()];
    const askable = providers.filter(({ idempotent, reconcile }) => idempotent || reconcile !== undefined);
    assert.deepEqual(
      repeatableAccounts(carriers.accounts),
      askable.map(({ name }) => name),
    );
  });

  it('the accounts that may have a message include uncertain ones that were removed from the settings', () => {
    const suspected = suspectedAccounts(carriers, 'email', ['gone', 'ses']);
    assert.deepEqual(suspected, [...suspectedAccounts(carriers, 'email', []), 'gone']);
  });
});
