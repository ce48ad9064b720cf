/** Attempts to deliver events: first ones of a group, the carrier's, those of a replay. Recorded in groups. */
import type { Config } from '../../models/settings/config.js';
import type { Database } from '../../models/db/database.js';
import type { Trigger } from '../../models/tables/delivery.js';
import type { DueDelivery, FirstDelivery, SendableDelivery } from '../../models/operations/webhooks/due-deliveries.js';
import { claimProbe } from '../../models/operations/webhooks/note-health.js';
import { type Attempt, recordAttempts } from '../../models/operations/webhooks/record-attempt.js';
import { BatchQueue } from '../../models/flow/batch-queue.js';
import { testEventType } from '../../models/rules/webhooks/events.js';
import { groupBy } from '../../models/rules/messages/group-by.js';
import { maskSignatures } from '../../models/rules/webhooks/signature.js';
import { Tally } from '../../models/flow/tally.js';
import { createConcurrencyLimit, type ConcurrencyLimit } from '../../models/flow/concurrency-limit.js';
import { EndpointHealth } from './endpoint-health.js';
import { EndpointLine, type Outcome, type Pace } from './endpoint-line.js';
import { attemptOnce, healthNote, lastStep, nextStep } from './one-attempt.js';
import type { WebhookPoster } from './post-webhook.js';

export interface AttemptDeps {
  db: Database;
  config: Pick<Config, 'databasePoolMax' | 'secretKeys' | 'webhookRetryDelaysSeconds' | 'webhookDisableAfterSeconds'>;
  poster: WebhookPoster;
  /** How long a group waits for one endpoint; then its deliveries are left to the carrier. */
  patienceMs?: number;
}

const endpointsAtOnce = 64;
/** Attempts at once to one endpoint: by one call, and by all groups of this process together. */
const atOncePerEndpoint = 16;
const recordsAtOnce = 50;
/** A round begins nothing later than this, see `firstDeliveries`: with the last attempt half a minute has passed at most. */
const roundMsMax = 20_000;

/** What attempts are logged as, and whether a failure is followed by the next rung of the ladder or by nothing. */
interface Manner {
  trigger: Trigger;
  ladder: boolean;
  isProbe?: boolean;
}

const scheduled: Manner = { trigger: 'scheduled', ladder: true };

/** What a group leaves to the carriers. */
export interface LeftToCarriers {
  left: DueDelivery[];
  /** The first attempt has begun and takes long; it goes on in this process. */
  underWay: DueDelivery[];
}

export class Attempts {
  readonly #health = new EndpointHealth();
  readonly #underWay = new Tally();
  readonly #records: BatchQueue<Attempt, boolean>;
  /**
   * Turns for what locks the rows of webhooks or reads a backlog of deliveries. A statement that waits for a lock holds a connection. Groups
   * and carriers of one workspace lock the same rows, so one statement of a workspace runs at a time. All together leave half of the
   * connections to what accepts and sends messages.
   */
  readonly inTurn: ConcurrencyLimit;

  constructor(private readonly deps: AttemptDeps) {
    const { db, config } = deps;
    this.inTurn = createConcurrencyLimit({ max: Math.max(1, Math.floor(config.databasePoolMax / 4)), maxPerKey: 1 });
    this.#records = new BatchQueue((attempts) => recordAttempts(db, attempts, config.webhookDisableAfterSeconds), {
      maxBatchSize: recordsAtOnce,
    });
  }

  /**
   * First attempts, several webhooks side by side. Left to the carrier are an endpoint that hangs, fails or has many attempts under
   * way, one whose breaker is open, and every webhook that is ordered or has a rate.
   * @param ownAtOnce a group that is tended waits for an endpoint that is merely busy, and has so many attempts to it at once of its own
   */
  async toAll(deliveries: FirstDelivery[], ownAtOnce?: number): Promise<LeftToCarriers> {
    const all: LeftToCarriers = { left: [], underWay: [] };
    const until = Date.now() + roundMsMax;
    const endpoints = [...groupBy(deliveries, ({ webhook_id }) => webhook_id)];
    const next = async (): Promise<void> => {
      for (let endpoint = endpoints.shift(); endpoint !== undefined; endpoint = endpoints.shift()) {
        const [webhookId, due] = endpoint;
        const { left, underWay } = this.#isCarried(webhookId, due, ownAtOnce !== undefined)
          ? { left: due, underWay: [] }
          : await this.#first(webhookId, due, { ownAtOnce, until });
        all.left.push(...left);
        all.underWay.push(...underWay);
      }
    };
    await Promise.all(Array.from({ length: Math.min(endpointsAtOnce, endpoints.length) }, next));
    return all;
  }

  /** Attempts what is due to one webhook, whose breaker may be half-open: then one attempt probes before the others. */
  async carry(due: SendableDelivery[], signal?: AbortSignal): Promise<void> {
    const [first] = due;
    if (first === undefined) return;
    let rest = due;
    if (first.resume_at !== null) {
      if (!(await claimProbe(this.deps.db, first.webhook_id))) return;
      if ((await this.#attempt(first, { ...scheduled, isProbe: true })) !== 'acknowledged') return;
      rest = due.slice(1).map((delivery) => ({ ...delivery, resume_at: null, failing_since: null }));
    }
    await this.#line(rest, scheduled, { atOnce: atOncePerEndpoint, ...(signal === undefined ? {} : { signal }) }).run();
  }

  /**
   * Attempts deliveries to one webhook. After a failure nothing further is begun, except in a replay, where each has its attempt.
   * @returns what failed on the ladder or was not tried
   */
  toEndpoint(deliveries: SendableDelivery[], manner = scheduled): Promise<SendableDelivery[]> {
    return this.#line(deliveries, manner, { atOnce: atOncePerEndpoint }).run();
  }

  async #first(
    webhookId: string,
    due: FirstDelivery[],
    { ownAtOnce, until }: { ownAtOnce: number | undefined; until: number },
  ): Promise<LeftToCarriers> {
    const line = this.#line(due, scheduled, {
      atOnce: ownAtOnce ?? atOncePerEndpoint - this.#underWay.of(webhookId),
      patienceMs: this.deps.patienceMs ?? this.#health.patienceMs(webhookId, isShared(due)),
      lineMs: until - Date.now(),
    });
    const run = line.run();
    const left = await Promise.race([run, line.late]);
    if (left !== undefined) return { left, underWay: [] };
    this.#health.noteLate(webhookId);
    run.catch(() => undefined); // not recorded: the carrier attempts it again
    return line.handOver();
  }

  #isCarried(webhookId: string, due: FirstDelivery[], isTended: boolean): boolean {
    if (due.some(({ in_child, ordered, rate, resume_at }) => in_child || ordered || rate !== null || resume_at !== null)) return true;
    if (isShared(due) && this.#health.isSlow(webhookId)) return true;
    return this.#health.isFailing(webhookId) || (!isTended && this.#underWay.of(webhookId) >= atOncePerEndpoint);
  }

  #line<Delivery extends SendableDelivery>(deliveries: Delivery[], manner: Manner, pace: Pace): EndpointLine<Delivery> {
    const attempt = (delivery: Delivery, answered: () => void) => this.#attempt(delivery, manner, answered);
    return new EndpointLine(deliveries, { attempt, goesOn: manner.trigger === 'replay', ...pace });
  }

  async #attempt(delivery: SendableDelivery, manner: Manner, answered: () => void = () => undefined): Promise<Outcome> {
    const { webhook_id: webhookId } = delivery;
    this.#underWay.add(webhookId);
    try {
      return await this.#recorded(delivery, manner, answered);
    } finally {
      this.#underWay.remove(webhookId);
    }
  }

  /** One attempt, recorded. */
  async #recorded(delivery: SendableDelivery, { trigger, ladder, isProbe = false }: Manner, answered: () => void): Promise<Outcome> {
    const { config, poster } = this.deps;
    const result = await attemptOnce(poster, config.secretKeys, delivery);
    answered();
    const isTest = delivery.event === testEventType;
    const loggedAs = isTest && ladder ? 'test' : trigger;
    const isScheduled = loggedAs === 'scheduled';
    if (isScheduled) this.#health.note(delivery.webhook_id, result.error === null, result.durationMs);
    const delays = isTest ? [] : (delivery.retry_delays ?? config.webhookRetryDelaysSeconds);
    const next = ladder ? nextStep(result, delivery, delays) : lastStep(result);
    const health = isScheduled ? healthNote(result, delivery, { isProbe, delays }) : undefined;
    const isActive = await this.#records.add({
      ...result,
      requestHeaders: result.requestHeaders && maskSignatures(result.requestHeaders),
      url: delivery.url,
      deliveryId: delivery.id,
      webhookId: delivery.webhook_id,
      trigger: loggedAs,
      next,
      ...(health === undefined ? {} : { health }),
    });
    if (!isActive) return 'stopped';
    if (result.error === null) return 'acknowledged';
    return next.status === 'pending' ? 'failed' : 'ended';
  }
}

const isShared = (due: readonly FirstDelivery[]) => due[0]?.is_shared === true;
