/**
 * The health of endpoints, in the row of their webhook, so that all workers know it and a restart keeps it. A healthy endpoint costs
 * nothing: a row is written only after a failure, and after the success that ends it.
 *
 * The circuit breaker opens when the first attempts of ten events in a row have failed. From `resume_at` on it is half-open: one attempt is
 * a probe (`claimWebhookProbe`). Its success closes the breaker. Its failure doubles the pause, up to 5 minutes, or up to the longest delay of the
 * retry schedule if that is shorter, but at least up to 5 s.
 */
import { type Database, select } from '../../db/database.js';
import { groupBy } from '../../rules/values/group-by.js';
import { countText } from '../../rules/values/text.js';
import { retryAfterSecondsMax } from '../../rules/webhooks/retry.js';
import { disableWebhook } from '../webhooks/disable-webhook.js';

/**
 * The result of an attempt, as far as it concerns the endpoint. Resends, replays and tests count only if they were acknowledged. If they fail, the
 * endpoint can only ask for a wait.
 */
export interface HealthNote {
  webhookId: string;
  succeeded: boolean;
  /** The retry schedule made it. */
  isScheduled: boolean;
  /** It was the first attempt of its event. */
  isFirst: boolean;
  /** It was the one attempt that a half-open breaker permits. */
  isProbe: boolean;
  /** The wait that the endpoint asked for, with its answer to any delivery. */
  retryAfterSeconds: number | null;
  /** The retry schedule of its delivery. The first pause of the breaker is the first delay, if that is not above the longest pause. */
  delays: readonly number[];
}

/**
 * A note about the endpoint at this URL. It is about no other one: the owner may give the webhook a new URL while the attempt at the former one
 * is recorded.
 */
export type NoteAtUrl = HealthNote & { url: string };

const failuresToOpen = 10;
const pauseSecondsMax = 300;
const pauseSecondsWithoutSchedule = 5;
/**
 * If the previous failure is older than this multiple of the longest retry delay, `failing_since` starts again: an endpoint that got nothing cannot
 * have failed.
 */
const quietDelays = 1.5;
/** Longer than an attempt takes. */
const probeSeconds = 15;

/**
 * Records the results of endpoints, and disables those that have acknowledged nothing for too long.
 * @param disableAfterSeconds 0: never
 * @returns the webhooks that were disabled
 */
export async function noteHealth(db: Database, notes: readonly NoteAtUrl[], disableAfterSeconds: number): Promise<string[]> {
  const disabled: string[] = [];
  for (const [webhookId, ofWebhook] of groupBy(notes, (note) => note.webhookId)) {
    for (const [url, ofEndpoint] of groupBy(ofWebhook, (note) => note.url)) {
      if (await noteEndpoint(db, { webhookId, url }, ofEndpoint, disableAfterSeconds)) disabled.push(webhookId);
    }
  }
  return disabled;
}

type Endpoint = Pick<NoteAtUrl, 'webhookId' | 'url'>;

/** @returns whether the webhook was disabled */
async function noteEndpoint(db: Database, endpoint: Endpoint, notes: readonly HealthNote[], disableAfterSeconds: number): Promise<boolean> {
  const { webhookId, url } = endpoint;
  const successes = notes.filter(({ succeeded }) => succeeded);
  const failures = notes.filter(({ succeeded }) => !succeeded);
  if (successes.length > 0) await select(db, recovered, [webhookId, successes.some(({ isProbe }) => isProbe), url]);
  if (failures.length === 0) return false;
  const failingSeconds = await noteFailures(db, endpoint, failures);
  if (disableAfterSeconds === 0 || !failures.some(({ isScheduled }) => isScheduled) || failingSeconds < disableAfterSeconds) return false;
  const reason = `The endpoint has acknowledged nothing for ${inWords(failingSeconds)}`;
  return disableWebhook(db, webhookId, reason, { url, failingSeconds: disableAfterSeconds });
}

/** During a pause, only the success of the probe ends it. Any other success shows that the endpoint has acknowledged something now. */
const recovered = `
  UPDATE webhooks w SET failing_since = CASE WHEN NOT n.has_ended AND w.failing_since IS NOT NULL THEN now() END, failures = CASE WHEN n.has_ended THEN 0 ELSE w.failures END,
    resume_at = CASE WHEN n.has_ended THEN NULL ELSE w.resume_at END, pause_seconds = CASE WHEN n.has_ended THEN NULL ELSE w.pause_seconds END
  FROM (
    SELECT id, $2 OR resume_at IS NULL AS has_ended FROM webhooks
    WHERE id = $1 AND url = $3 AND (failing_since IS NOT NULL OR resume_at IS NOT NULL) FOR NO KEY UPDATE
  ) n
  WHERE w.id = n.id`;

/** @returns for how many seconds the endpoint has acknowledged nothing; 0 if the webhook has another URL meanwhile */
async function noteFailures(db: Database, { webhookId, url }: Endpoint, notes: readonly HealthNote[]): Promise<number> {
  const first = notes.filter(({ isFirst }) => isFirst).length;
  const asked = Math.min(retryAfterSecondsMax, Math.max(...notes.map(({ retryAfterSeconds }) => retryAfterSeconds ?? 0)));
  const delays = notes[0]?.delays ?? [];
  const quietSeconds = quietDelays * Math.max(retryAfterSecondsMax, ...notes.flatMap((note) => note.delays));
  const pauses = [delays[0] ?? pauseSecondsWithoutSchedule, Math.min(pauseSecondsMax, Math.max(...delays, pauseSecondsWithoutSchedule))];
  const isProbe = notes.some((note) => note.isProbe);
  const isScheduled = notes.some((note) => note.isScheduled);
  const bind = [webhookId, first, isProbe, asked > 0 ? asked : null, ...pauses, failuresToOpen, url, isScheduled, quietSeconds];
  const [row] = await select<{ seconds: number }>(db, failed, bind);
  return row?.seconds ?? 0;
}

const failed = `
  UPDATE webhooks w SET failures = n.failures, pause_seconds = n.pause_seconds, failing_since = n.failing_since, failed_at = n.failed_at,
    resume_at = GREATEST(
      CASE WHEN NOT $3 THEN w.resume_at END,
      now() + $4::double precision * interval '1 second',
      CASE WHEN $3 OR w.pause_seconds IS NULL THEN now() + n.pause_seconds * (1 + random() / 5) * interval '1 second' END)
  FROM (
    SELECT id, failures + $2::integer AS failures, CASE
      WHEN pause_seconds IS NULL THEN CASE WHEN failures + $2::integer >= $7 THEN LEAST($5::double precision, $6::double precision) END
      WHEN $3 THEN LEAST(2 * pause_seconds, $6::double precision)
      ELSE pause_seconds END AS pause_seconds,
      CASE WHEN $9 AND (failing_since IS NULL OR failed_at < now() - $10::double precision * interval '1 second')
        THEN now() ELSE failing_since END AS failing_since,
      CASE WHEN $9 THEN now() ELSE failed_at END AS failed_at
    FROM webhooks WHERE id = $1 AND url = $8 FOR NO KEY UPDATE
  ) n
  WHERE w.id = n.id
  RETURNING COALESCE(extract(epoch FROM now() - w.failing_since)::double precision, 0) AS seconds`;

/** The wait that an endpoint has asked for by `Retry-After`. */
export interface AskedWait {
  /** As text: a Date loses microseconds. */
  until: string;
  wait_ms: number;
}

/** The wait that is not over. Null if there is none, the webhook is inactive, or a circuit breaker is open. */
export async function askedWait(db: Database, webhookId: string): Promise<AskedWait | null> {
  const [asked] = await select<AskedWait>(db, waiting, [webhookId]);
  return asked ?? null;
}

const waiting = `
  SELECT resume_at::text AS until, extract(epoch FROM resume_at - now())::double precision * 1000 AS wait_ms
  FROM webhooks WHERE id = $1 AND is_active AND deleted_at IS NULL AND pause_seconds IS NULL AND resume_at > now()`;

/**
 * Claims the one attempt that a half-open breaker permits. If the caller dies, the claim ends after some seconds.
 * @returns false if the breaker is open, or another caller has the probe
 */
export async function claimWebhookProbe(db: Database, webhookId: string): Promise<boolean> {
  return (await select(db, claim, [webhookId, probeSeconds])).length > 0;
}

const claim = `UPDATE webhooks SET resume_at = now() + $2 * interval '1 second' WHERE id = $1 AND resume_at <= now() RETURNING id`;

const units = [
  { unit: 'day', size: 86_400 },
  { unit: 'hour', size: 3_600 },
  { unit: 'minute', size: 60 },
] as const;

/** The whole units of the largest unit that fits. */
function inWords(seconds: number): string {
  const { unit, size } = units.find((each) => seconds >= each.size) ?? { unit: 'second', size: 1 };
  return countText(Math.floor(seconds / size), unit);
}
