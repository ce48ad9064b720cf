/** Attempts to deliver events: first attempts of a group, attempts of a retrier and of a replay. Writes their outcomes in batches. */
import type { Config } from '../../models/settings/config.js';
import type { Database } from '../../models/db/database.js';
import type { DueDelivery, FirstDelivery, SendableDelivery } from '../../models/operations/deliveries/due-deliveries.js';
import { claimWebhookProbe } from '../../models/operations/deliveries/note-health.js';
import { type Attempt, type AttemptEffect, recordAttempts } from '../../models/operations/deliveries/record-attempt.js';
import { BatchQueue } from '../../models/flow/batch-queue.js';
import { cachingDecrypter, type Decrypter } from '../../models/rules/values/encryption.js';
import { groupBy } from '../../models/rules/values/group-by.js';
import { maskSignatures } from '../../models/rules/webhooks/signed-headers.js';
import { createConcurrencyLimit, type ConcurrencyLimit } from '../../models/flow/concurrency-limit.js';
import { SharedEndpointStats } from './shared-endpoint-stats.js';
import { EndpointHealth } from './endpoint-health.js';
import { EndpointQueue, type AttemptResult, type QueueLimits } from './endpoint-queue.js';
import { requestsDelay, attemptOnce, type AttemptOptions, consequenceOf } from './one-attempt.js';
import type { WebhookPoster } from './post-webhook.js';
import { turnsOf, type TurnsOfWebhook } from './turns-of-webhook.js';

export interface AttemptDeps {
  db: Database;
  config: Pick<Config, 'databasePoolMax' | 'secretKeys' | 'webhookRetryDelaysSeconds' | 'webhookDisableAfterSeconds'>;
  poster: WebhookPoster;
  /** What all threads of the process know of endpoints. Without it, these attempts know what they learn themselves. */
  endpoints?: SharedEndpointStats | undefined;
  /** How long a group waits for one endpoint, before it leaves the deliveries to the retrier. */
  lateAfterMs?: number;
}

const endpointConcurrency = 64;
/**
 * Attempts at once to one endpoint, for each call of a retrier, replay or resend. First attempts of single messages are left to the retrier
 * when this process has this many attempts to the endpoint in progress, including those of all other calls and threads. A driven group has a
 * smaller limit of its own (`ownConcurrency`). Processes do not share the count.
 */
const concurrencyPerEndpoint = 16;
/** Outcomes that take longer to store wait for a lock, or for an answer that was lost. Those of other webhooks do not wait for them. */
const recording = { maxBatchSize: 50, slowAfterMs: 2_000 };
/** A round begins no attempt later than this. With the last attempt it takes half a minute at most; see `firstDeliveries`. */
const roundMsMax = 20_000;

const scheduled: AttemptOptions = { trigger: 'scheduled', followsSchedule: true };

/** Deliveries that a group leaves to the retriers. */
export interface LeftToRetriers {
  idle: DueDelivery[];
  /** The first attempt takes long. It continues in this process. */
  inFlight: DueDelivery[];
}

export class Attempts {
  readonly #endpoints: SharedEndpointStats;
  readonly health: EndpointHealth;
  readonly #records: BatchQueue<Attempt, AttemptEffect>;
  readonly #decryptSecret: Decrypter;
  /**
   * Runs statements that lock webhook rows or read a backlog of deliveries. A statement that waits for a lock holds a connection. Groups and
   * retriers of one workspace lock the same rows, so one statement of a workspace runs at a time. All workspaces together use a quarter of
   * the process's connections at most, in each thread.
   */
  readonly withWorkspaceLimit: ConcurrencyLimit;

  constructor(readonly deps: AttemptDeps) {
    const { db, config, endpoints = new SharedEndpointStats() } = deps;
    this.#endpoints = endpoints;
    this.health = new EndpointHealth(endpoints);
    this.#decryptSecret = cachingDecrypter(config.secretKeys);
    this.withWorkspaceLimit = createConcurrencyLimit({ max: Math.max(1, Math.floor(config.databasePoolMax / 4)), maxPerKey: 1 });
    this.#records = new BatchQueue((attempts) => recordAttempts(db, attempts, config.webhookDisableAfterSeconds), recording);
  }

  /**
   * Makes first attempts to several webhooks in parallel. Leaves to the retrier: an endpoint that hangs, fails or is busy, a webhook whose
   * circuit breaker is open, a webhook that is ordered or has a rate, and one that has a delivery which was left to the retrier before.
   * @param ownConcurrency set for a driven group: its limit of attempts at once to an endpoint. It does not leave an endpoint that is only busy
   */
  async attemptFirstRound(deliveries: FirstDelivery[], ownConcurrency?: number): Promise<LeftToRetriers> {
    const all: LeftToRetriers = { idle: [], inFlight: [] };
    const until = performance.now() + roundMsMax;
    const endpoints = [...groupBy(deliveries, ({ webhook_id }) => webhook_id)];
    const next = async (): Promise<void> => {
      for (let endpoint = endpoints.shift(); endpoint !== undefined; endpoint = endpoints.shift()) {
        const [webhookId, due] = endpoint;
        const { idle, inFlight } = this.#isLeftToRetrier(webhookId, due, ownConcurrency !== undefined)
          ? { idle: due, inFlight: [] }
          : await this.#attemptFirst(webhookId, due, { ownConcurrency, until });
        all.idle.push(...idle);
        all.inFlight.push(...inFlight);
      }
    };
    await Promise.all(Array.from({ length: Math.min(endpointConcurrency, endpoints.length) }, next));
    return all;
  }

  /**
   * Attempts the due deliveries of one webhook. When its circuit breaker is half-open, one attempt probes before the others. When this process
   * does not know the endpoint as healthy, the events of one message go first: many attempts at once to an endpoint that hangs would each keep
   * a connection until its deadline. No attempt begins after the given end.
   * @returns whether a delivery is settled: it was acknowledged, has failed for good, or its owner has stopped the webhook
   */
  async retry(due: SendableDelivery[], end: Pick<QueueLimits, 'signal' | 'until'> = {}): Promise<boolean> {
    const [first] = due;
    if (first === undefined) return false;
    let rest = due;
    const turns = turnsOf(first, scheduled.trigger, this);
    if (first.resume_at !== null) {
      if ((await turns?.next(1)) === false || end.signal?.aborted === true) return false;
      if (!(await claimWebhookProbe(this.deps.db, first.webhook_id))) return false;
      const { outcome, isOutdated } = await this.#attempt(first, { ...scheduled, isProbe: true });
      if (outcome !== 'acknowledged' || isOutdated) return false;
      rest = due.slice(1).map((delivery) => ({ ...delivery, resume_at: null, failing_since: null }));
    }
    const pace = { concurrency: concurrencyPerEndpoint, firstAlone: !this.health.isHealthy(first.webhook_id) };
    const left = await this.#queue(rest, scheduled, { ...pace, ...end }, turns).run();
    return left.length < due.length;
  }

  /**
   * Attempts deliveries to one webhook. Stops after a failure, except in a replay, which attempts each delivery.
   * @returns the deliveries that were not tried, because the owner has changed the webhook: they must be read again
   */
  async attemptInOrder(deliveries: SendableDelivery[], options: AttemptOptions): Promise<readonly SendableDelivery[]> {
    const [first] = deliveries;
    const turns = first && turnsOf(first, options.trigger, this);
    const queue = this.#queue(deliveries, options, { concurrency: concurrencyPerEndpoint }, turns);
    await queue.run();
    return queue.untried;
  }

  async #attemptFirst(
    webhookId: string,
    due: FirstDelivery[],
    { ownConcurrency, until }: { ownConcurrency: number | undefined; until: number },
  ): Promise<LeftToRetriers> {
    const queue = this.#queue(due, scheduled, {
      concurrency: ownConcurrency ?? concurrencyPerEndpoint - this.#endpoints.inFlight(webhookId),
      lateAfterMs: this.deps.lateAfterMs ?? this.health.lateAfterMs(webhookId, isShared(due)),
      queueLateAfterMs: until - performance.now(),
    });
    const run = queue.run();
    const idle = await Promise.race([run, queue.late]);
    if (idle !== undefined) return { idle, inFlight: [] };
    this.health.noteLate(webhookId);
    run.catch(() => undefined); // an outcome that was not stored: the retrier attempts the delivery again
    return queue.detach();
  }

  #isLeftToRetrier(webhookId: string, due: FirstDelivery[], isDriven: boolean): boolean {
    if (due.some((one) => one.is_outside_group || one.ordered || one.rate !== null || one.resume_at !== null)) return true;
    if (isShared(due) && this.health.isSlow(webhookId)) return true;
    return this.health.isFailing(webhookId) || (!isDriven && this.#endpoints.inFlight(webhookId) >= concurrencyPerEndpoint);
  }

  #queue<Delivery extends SendableDelivery>(
    deliveries: Delivery[],
    options: AttemptOptions,
    pace: QueueLimits,
    turns?: TurnsOfWebhook,
  ): EndpointQueue<Delivery> {
    const attempt = (delivery: Delivery, answered: () => void) => this.#attempt(delivery, options, answered);
    return new EndpointQueue(deliveries, { attempt, continuesAfterFailure: options.trigger === 'replay', turns, ...pace });
  }

  async #attempt(delivery: SendableDelivery, options: AttemptOptions, answered: () => void = () => undefined): Promise<AttemptResult> {
    const { webhook_id: webhookId } = delivery;
    const claim = (await options.replay?.claim(delivery.id)) ?? 'claimed';
    if (claim !== 'claimed') return { outcome: 'ended', isOutdated: claim === 'over' };
    this.#endpoints.begin(webhookId);
    try {
      return await this.#recorded(delivery, options, answered);
    } finally {
      this.#endpoints.end(webhookId);
    }
  }

  /** Makes one attempt and stores its outcome. */
  async #recorded(delivery: SendableDelivery, options: AttemptOptions, answered: () => void): Promise<AttemptResult> {
    const { config, poster } = this.deps;
    const result = await attemptOnce(poster, this.#decryptSecret, delivery, options);
    answered();
    const { isScheduled, ...consequence } = consequenceOf(result, delivery, options, config.webhookRetryDelaysSeconds);
    if (isScheduled) this.health.note(delivery.webhook_id, result.error === null, result.durationMs);
    const effect = await this.#records.add({
      ...result,
      requestHeaders: result.requestHeaders && maskSignatures(result.requestHeaders),
      url: delivery.url,
      deliveryId: delivery.id,
      webhookId: delivery.webhook_id,
      changedAt: delivery.changed_at,
      ...(options.replay === undefined ? {} : { replayId: options.replay.id }),
      ...consequence,
    });
    const isOutdated = effect === 'outdated' || effect === 'renewed' || (options.trigger === 'replay' && requestsDelay(result));
    if (effect === 'stopped') return { outcome: 'stopped', isOutdated };
    if (result.error === null) return { outcome: 'acknowledged', isOutdated };
    return { outcome: consequence.next.status === 'pending' || effect === 'renewed' ? 'failed' : 'ended', isOutdated };
  }
}

const isShared = (due: readonly FirstDelivery[]) => due[0]?.is_shared === true;
