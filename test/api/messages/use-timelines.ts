import assert from 'node:assert/strict';
import type { Database } from '../../../models/db/database.js';
import type { Account } from '../start-app.js';
import { useApi } from '../use-api.js';

export interface Step {
  at: string;
  type: string;
  text: string;
  details: Record<string, unknown>;
}

/** An API with a new account for each test, and the timelines of its messages. */
export function useTimelines() {
  const app = useApi();
  let account: Account;
  beforeEach(async () => {
    account = await app.account();
  });
  return {
    app,
    get db(): Database {
      return app.deps.db;
    },
    get account(): Account {
      return account;
    },
    timelineOf: async (id: string) => {
      const { status, body } = await app.call('GET', `/api/v1/messages/${id}/timeline`, { key: account.key });
      assert.equal(status, 200);
      return body.data.timeline;
    },
    stepsOf: (timeline: { steps: Step[] }, type: string) => timeline.steps.filter((step) => step.type === type),
  };
}
