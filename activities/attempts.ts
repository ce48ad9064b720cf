/** Attempts to deliver events: in order for one message, side by side for many, recorded in groups. */
import type { Config } from '../models/config.js';
import type { Database } from '../models/database.js';
import type { Trigger } from '../models/delivery.js';
import type { DueDelivery, SendableDelivery } from '../models/operations/due-deliveries.js';
import { type Attempt, type NextStep, recordAttempts } from '../models/operations/record-attempt.js';
import { Gather } from '../models/gather.js';
import { testEventType } from '../models/rules/events.js';
import { decrypt } from '../models/rules/encryption.js';
import { groupBy } from '../models/rules/group-by.js';
import { parseRetryAfter, retryDelaySeconds } from '../models/rules/retry.js';
import { deliveryHeaders, maskSignatures } from '../models/rules/signature.js';
import type { DeliverWebhookInput } from '../workflows/contract.js';
import { EndpointHealth } from './endpoint-health.js';
import type { PostResult, WebhookPoster } from './post-webhook.js';

export interface AttemptDeps {
  db: Database;
  config: Pick<Config, 'secretKey' | 'webhookRetryDelaysSeconds'>;
  poster: WebhookPoster;
}

const endpointsAtOnce = 16;
/** Connections to one endpoint, for one group of messages. */
const atOncePerEndpoint = 8;
const recordsAtOnce = 50;

/** What attempts are logged as, and whether a failure is followed by the next rung of the ladder or by nothing. */
interface Manner {
  trigger: Trigger;
  ladder: boolean;
}

const scheduled: Manner = { trigger: 'scheduled', ladder: true };

export class Attempts {
  readonly #health = new EndpointHealth();
  readonly #records: Gather<Attempt, boolean>;

  constructor(private readonly deps: AttemptDeps) {
    this.#records = new Gather((attempts) => recordAttempts(deps.db, attempts), { most: recordsAtOnce });
  }

  /** First attempts, several webhooks side by side; an endpoint that is known to hang or fail is left alone. @returns what is left, by webhook */
  async toAll(deliveries: DueDelivery[]): Promise<DeliverWebhookInput[]> {
    const left: DeliverWebhookInput[] = [];
    const endpoints = [...groupBy(deliveries, ({ webhook_id }) => webhook_id)];
    const next = async (): Promise<void> => {
      const endpoint = endpoints.shift();
      if (endpoint === undefined) return;
      const [webhookId, due] = endpoint;
      const rest = this.#health.isFailing(webhookId) ? due : await this.toEndpoint(due);
      if (rest.length > 0) left.push({ webhookId, deliveryIds: rest.map(({ id }) => id) });
      await next();
    };
    await Promise.all(Array.from({ length: endpointsAtOnce }, next));
    return left;
  }

  /**
   * Attempts deliveries to one webhook: the events of a message one after the other, messages side by side. After a failure
   * nothing further is begun, except in a replay, where each delivery has its attempt.
   * @returns what failed on the ladder or was not tried
   */
  async toEndpoint(deliveries: SendableDelivery[], manner = scheduled): Promise<SendableDelivery[]> {
    const chains = [...groupBy(deliveries, ({ message_id, id }) => message_id ?? id).values()];
    const left: SendableDelivery[] = [];
    let isHealthy = true;
    const next = async (): Promise<void> => {
      const chain = chains.shift();
      if (chain === undefined) return;
      for (const [index, delivery] of chain.entries()) {
        const outcome = isHealthy ? await this.#attempt(delivery, manner) : 'not tried';
        if (outcome === 'done') continue;
        if (outcome === 'failed' && manner.trigger === 'replay') {
          left.push(delivery);
          continue;
        }
        isHealthy = false;
        if (outcome === 'stopped')
          chains.length = 0; // paused, deleted or gone meanwhile: whoever did that held the rest
        else left.push(...chain.slice(index));
        break;
      }
      await next();
    };
    await Promise.all(Array.from({ length: Math.min(atOncePerEndpoint, chains.length) }, next));
    return left;
  }

  /** One attempt, recorded. */
  async #attempt(delivery: SendableDelivery, { trigger, ladder }: Manner): Promise<'done' | 'failed' | 'stopped'> {
    const { config, poster } = this.deps;
    const secrets = secretsOf(config.secretKey, delivery);
    const timestampSeconds = Math.floor(Date.now() / 1000);
    const headers = deliveryHeaders({ id: delivery.event_id, type: delivery.event, body: delivery.body, secrets, timestampSeconds });
    const result = await poster.post(delivery.url, headers, delivery.body);
    const isTest = delivery.event === testEventType;
    const loggedAs = isTest && ladder ? 'test' : trigger;
    if (loggedAs === 'scheduled') this.#health.note(delivery.webhook_id, result.error === null, result.durationMs);
    const next = ladder ? nextStep(result, delivery, isTest ? [] : config.webhookRetryDelaysSeconds) : lastStep(result);
    const isActive = await this.#records.add({
      ...result,
      requestHeaders: result.requestHeaders && maskSignatures(result.requestHeaders),
      url: delivery.url,
      deliveryId: delivery.id,
      webhookId: delivery.webhook_id,
      trigger: loggedAs,
      next,
    });
    if (!isActive) return 'stopped';
    return next.status === 'pending' ? 'failed' : 'done';
  }
}

function secretsOf(secretKey: string, { webhook_id, secret, old_secret, old_secret_until }: SendableDelivery): string[] {
  const sealed = old_secret !== null && old_secret_until !== null && old_secret_until > new Date() ? [secret, old_secret] : [secret];
  return sealed.map((bytes) => decrypt(secretKey, `webhook:${webhook_id}`, bytes));
}

const gone = 'The endpoint answered 410 Gone';

/** What follows where no further attempt does. */
function lastStep({ error, responseStatus }: PostResult): NextStep {
  if (error === null) return { status: 'succeeded' };
  return responseStatus === 410 ? { status: 'unchanged', disableWebhook: gone } : { status: 'unchanged' };
}

function nextStep(
  { error, responseStatus, retryAfter, at }: PostResult,
  { ladder_step }: SendableDelivery,
  delays: readonly number[],
): NextStep {
  if (error === null) return { status: 'succeeded' };
  if (error === 'blocked_address') return { status: 'failed' };
  if (responseStatus === 410) return { status: 'failed', disableWebhook: gone };
  const seconds = retryDelaySeconds(delays, ladder_step + 1, parseRetryAfter(retryAfter, at));
  return seconds === null ? { status: 'failed' } : { status: 'pending', nextAttemptAt: new Date(Date.now() + seconds * 1000) };
}
