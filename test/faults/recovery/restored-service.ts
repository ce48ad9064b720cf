/** A service whose carriers take no key, and what they have taken: for the drill of a restore. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { until } from '../../support/client.js';
import { testEnv } from '../../support/config.js';
import { rows } from '../../support/database.js';
import { type PostmarkCounterpart, postmarkEnv, refuse as refuseMail, startPostmark } from '../../support/carriers/postmark.js';
import type { Child } from '../../support/parts/child.js';
import { runAdmin } from '../../support/run-admin.js';
import { type Service, startService } from '../../support/service.js';
import { watch } from '../../support/temporal/watcher.js';
import { refuse, startTwilio, type TakenMessage, twilioEnv, type TwilioCounterpart } from '../../support/carriers/twilio.js';

const script = resolve(import.meta.dirname, '../../../api/admin/admin.js');

export class RestoredService {
  service!: Service;
  /** Runs until the restore. Then the worker in this process goes on. */
  worker!: Child;
  twilio!: TwilioCounterpart;
  postmark!: PostmarkCounterpart;
  /** Sms that are still taken while the carriers are shut. */
  #passes = 0;
  #env: NodeJS.ProcessEnv = {};

  async start(): Promise<void> {
    [this.twilio, this.postmark] = await Promise.all([startTwilio(), startPostmark()]);
    const env = { ...twilioEnv(this.twilio), ...postmarkEnv(this.postmark) };
    this.service = await startService({ isHere: true, withoutWorker: true, env });
    this.worker = await this.service.workerToKill();
    const { databaseUrl: DATABASE_URL, temporalNamespace: TEMPORAL_NAMESPACE } = this.service.config;
    this.#env = { ...env, DATABASE_URL, TEMPORAL_NAMESPACE };
  }

  async stop(): Promise<void> {
    await this.service?.stop();
    await Promise.all([this.twilio?.close(), this.postmark?.close()]);
  }

  /** The carriers ask for patience from now on, and have certainly not taken what they refuse. @param passes sms that are taken first */
  shutCarriers(passes: number): void {
    this.#passes = passes;
    const after = { 'Retry-After': '4' };
    this.twilio.interfere = (response) => {
      this.#passes -= 1;
      return this.#passes < 0 && refuse(response, 429, 20429, after);
    };
    this.postmark.interfere = (response) => refuseMail(response, 429, 429, after);
  }

  /** Waits until no call is under way and none will be for a moment: a backup then cuts off none. */
  untilCarriersRest(): Promise<void> {
    const resting = `
      SELECT 1 FROM provider_pace WHERE held_until > now() + interval '1 second' AND NOT EXISTS (SELECT 1 FROM send_attempts WHERE outcome IS NULL)
      GROUP BY () HAVING count(*) = 2`;
    return until(async () => (await rows(this.service.db, resting)).length > 0, 'both carriers rest');
  }

  openCarriers(): void {
    this.twilio.interfere = () => false;
    this.postmark.interfere = () => false;
  }

  /** Ids of all messages that the carriers have taken, once for each time. */
  get taken(): string[] {
    return [...this.twilio.taken.map(idOf), ...this.postmark.taken.map(({ mail }) => mail.Metadata?.message_id ?? '')];
  }

  /** Reports that these SMS were delivered. */
  async report(ids: readonly string[]): Promise<void> {
    for (const message of this.twilio.taken.filter((taken) => ids.includes(idOf(taken)))) await this.twilio.report(message, 'delivered');
  }

  /** Runs the command to its end. */
  recover(...args: string[]): ReturnType<typeof runAdmin> {
    return runAdmin({ db: this.service.db, env: this.#env }, 'recover', ...args);
  }

  /** Runs the command and kills it as soon as it has begun to mark messages. */
  async recoverAndDie(...args: string[]): Promise<void> {
    const command = spawn(process.execPath, [script, 'recover', ...args], {
      env: { PATH: process.env.PATH, ...testEnv(this.#env) },
      stdio: 'ignore',
    });
    const gone = once(command, 'exit');
    await until(async () => (await rows(this.service.db, 'SELECT 1 FROM recoveries')).length > 0, 'the recovery begins');
    command.kill('SIGKILL');
    await gone;
  }

  /** Lets the watcher find what waits, as if minutes had gone by, until the condition holds. */
  async watchUntil(condition: () => Promise<boolean>, what: string): Promise<void> {
    const { db } = this.service;
    const age = `interval '10 minutes'`;
    await rows(db, `UPDATE send_attempts SET started_at = started_at - ${age}`);
    await rows(db, `UPDATE delivery_reports SET received_at = received_at - ${age} WHERE applied_at IS NULL`);
    let lookedAt = 0;
    await until(
      async () => {
        if (Date.now() - lookedAt > 2_000) {
          lookedAt = Date.now();
          await watch(this.service);
        }
        return condition();
      },
      what,
      60_000,
    );
  }
}

/** Each request names the message in the address of its report. */
const idOf = ({ form }: TakenMessage) => new URL(form.StatusCallback ?? '').searchParams.get('message_id') ?? '';
