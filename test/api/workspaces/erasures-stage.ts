/** What the tests of erasures have in common. */
import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { type Database, select } from '../../../models/db/database.js';
import { erasureKey } from '../../../models/operations/erasure/erasure-key.js';
import { signSandboxCallback } from '../../../models/rules/callbacks/sandbox.js';
import { until } from '../../support/client.js';
import { runErasures } from '../../support/rows/erasures.js';
import { findInDatabase } from '../../support/rows/find-anywhere.js';
import { assertBooks } from '../../../harness/checks/invariants.js';
import { acceptedAs, claimAll, messageOf, reportOf, sandboxEverywhere, statusOf } from '../../support/rows/messages.js';
import { applyReports, recordHandoffs, recordReports } from '../../support/rows/reports.js';
import type { Account, TestApp } from '../start-app.js';
import { useApi } from '../use-api.js';

const path = '/api/v1/erasures';
const waiting = `SELECT 1 FROM erasures WHERE status = 'running' AND walked_at IS NOT NULL AND rewalked_at IS NULL`;
let lastNumber = 4_000_000;

/** The hooks fill it: it is to be read in hooks and tests. */
interface Stage {
  app: TestApp;
  readonly db: Database;
  account: Account;
  /** Somebody whom no other test knows. */
  to: string;
}

/** An API for the file, called in a `describe`; for each test a new account and a new recipient, after which the books must agree. */
export function erasuresForEach() {
  const app = useApi();
  const stage = {
    app,
    get db() {
      return app.deps.db;
    },
  } as Stage;
  beforeEach(async () => {
    stage.account = await stage.app.account();
    lastNumber += 1;
    stage.to = `+1555${lastNumber}`;
  });
  afterEach(() => assertBooks(stage.db));

  return Object.assign(stage, sendingAs(stage), erasingFor(stage));
}

/** Sends, and what the recipient says to it. */
function sendingAs(stage: Stage) {
  const send = (body: object, headers = {}) => stage.app.call('POST', '/api/v1/messages/send', { key: stage.account.key, body, headers });
  const sms = () => ({
    to: stage.to,
    channel: 'sms',
    content: { text: `Hello ${stage.to}` },
    metadata: { to: stage.to },
    reference: stage.to,
  });
  const replyAsRecipient = async (text: string) => {
    const body = JSON.stringify({
      inbound: [{ id: uuidv7(), channel: 'sms', from: stage.to, to: '+15550000000', text, occurred_at: new Date() }],
    });
    const headers = signSandboxCallback(stage.app.deps.config.secretKey, body);
    assert.equal((await stage.app.call('POST', '/callbacks/sandbox', { body, headers })).status, 200);
  };
  const suppressions = async () => (await stage.app.call('GET', '/api/v1/suppressions', { key: stage.account.key })).body.data.suppressions;
  const claimNewMessage = async () => {
    const { body } = await send(sms());
    const key = await erasureKey(stage.db, stage.app.deps.config.secretKeys);
    const { id } = body.data.message;
    await claimAll(stage.db, (await messageOf(stage.db, id)).group_id, sandboxEverywhere, { erasureKey: key });
    return statusOf(stage.db, id);
  };
  /** The carrier takes a message that is alone in its group. */
  const handOff = async (id: string) => {
    const [claim] = await claimAll(stage.db, id, sandboxEverywhere);
    assert.ok(claim);
    await recordHandoffs(stage.db, [acceptedAs(claim)]);
  };
  return { send, sms, replyAsRecipient, suppressions, claimNewMessage, handOff };
}

/** Asks for erasures and plays the watcher. */
function erasingFor(stage: Stage) {
  const ask = async (recipient = stage.to) => {
    const { status, body } = await stage.app.call('POST', path, { key: stage.account.key, body: { to: recipient } });
    assert.equal(status, 202);
    return body.data.erasure.id as string;
  };
  const shownErasure = async (id: string) => {
    const { status, messages } = (await stage.app.call('GET', `${path}/${id}`, { jwt: stage.account.jwt })).body.data.erasure;
    return [status, messages];
  };
  const runErasuresOnce = async () => runErasures(stage.db, await erasureKey(stage.db, stage.app.deps.config.secretKeys));
  /** Other tests have transactions on the same server. The second walk waits for those that were open at the end of the first one. */
  const finishErasures = async () => {
    let completed = 0;
    await until(async () => {
      completed += await runErasuresOnce();
      return (await select(stage.db, waiting)).length === 0;
    }, 'the second walks have ended');
    return completed;
  };
  /** As if the pause before the next look were over. */
  const runErasuresAgain = async () => {
    await select(stage.db, 'UPDATE erasure_queue SET look_at = now()');
    return finishErasures();
  };
  const placesOfRecipient = (text = stage.to) => findInDatabase(stage.db, text.replace('+', ''));
  const reportEnd = async (
    message: { id: string; group_id: string; provider_message_id: string | null },
    status: 'delivered' | 'failed' = 'delivered',
  ) => {
    await recordReports(stage.db, [reportOf(message, status, { raw: `To=${stage.to}` })]);
    await applyReports(stage.db, message.group_id);
  };
  const succeed = () => select(stage.db, `UPDATE deliveries SET status = 'succeeded' WHERE status = 'pending'`);
  return { ask, shownErasure, finishErasures, runErasuresOnce, runErasuresAgain, placesOfRecipient, reportEnd, succeed };
}
