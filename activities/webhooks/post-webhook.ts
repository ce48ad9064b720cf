/** Sends one POST to a webhook: HTTPS only, no redirects, checked address, one deadline, and only the first part of the answer is kept. */
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Config } from '../../models/settings/config.js';
import { isAllowedTarget, type TargetPolicy } from '../../models/rules/webhooks/address.js';
import { faultOfName, targetOf } from '../../models/rules/webhooks/webhook-url.js';
import { createResolver, type Resolve } from '../../models/network/name-resolver.js';
import { addressOptions, closeOnUnrequestedData, exchange } from '../support/http-exchange.js';
import { BlockedAddressError, guardedLookup } from './guarded-lookup.js';
import { type Trace, Tracer } from './post-trace.js';

/** The deadline for DNS, connection, TLS, request and answer together: a webhook must acknowledge within 10 seconds. */
const defaultTimeoutMs = 10_000;
const answerBytesMax = 16_384;
const keptBytesMax = 1_024;
const idleSocketMs = 4_000;

/** The answer of the receiver, or the reason why there is none. */
export interface PostResult extends Trace {
  at: Date;
  durationMs: number;
  responseStatus: number | null;
  responseBody: string | null;
  retryAfter: string | undefined;
  /** Null if the receiver acknowledged. */
  error: PostError | null;
  /** The URL itself is not allowed, whatever addresses its name gets. */
  isBlockedUrl?: boolean;
}

export type PostError =
  | 'undecryptable_secret'
  | 'gone'
  | 'blocked_address'
  | 'timeout'
  | 'dns'
  | 'refused'
  | 'reset'
  | 'tls'
  | 'network'
  | 'redirect'
  | 'http_status';

export interface WebhookPoster {
  /** @param whose the workspace of the webhook; each workspace has its own share of name look-ups */
  post(url: string, headers: Record<string, string>, body: string, whose?: string): Promise<PostResult>;
  close(): void;
}

export interface PosterOptions {
  totalTimeoutMs?: number;
  /** Replaces DNS in tests. */
  resolve?: Resolve;
}

/** Creates a poster with its own connections. Each is made to a checked address and kept open for a few seconds. */
export function webhookPoster(
  config: TargetPolicy & Pick<Config, 'webhookDnsServers'>,
  { totalTimeoutMs = defaultTimeoutMs, ...given }: PosterOptions = {},
): WebhookPoster {
  const resolve = given.resolve ?? createResolver({ servers: config.webhookDnsServers });
  // No limit of connections: with a limit for each host, endpoints that hang would block others of the same host.
  const options = { ...addressOptions, timeout: idleSocketMs, minVersion: 'TLSv1.2' } as const;
  const agents: Agents = {
    kept: closeOnUnrequestedData(new Agent({ ...options, keepAlive: true, maxFreeSockets: 64 })),
    fresh: new Agent(options),
    isClosed: false,
  };
  return {
    post: (address, headers, body, whose) => {
      const url = new URL(address);
      const target = targetOf(url);
      // The look-up belongs to the request. The agent's connections are shared, and each was made to a checked address.
      const lookup = guardedLookup((ip) => isAllowedTarget(ip, target.port, config), resolve, whose);
      return post({ url, target, headers, body, totalTimeoutMs, lookup }, agents, config);
    },
    close: () => {
      agents.isClosed = true;
      agents.kept.destroy();
      agents.fresh.destroy();
    },
  };
}

interface Agents {
  /** Its connections are used again. */
  kept: Agent;
  /** Makes a connection for each request. */
  fresh: Agent;
  isClosed: boolean;
}

interface Outgoing {
  url: URL;
  target: ReturnType<typeof targetOf>;
  headers: Record<string, string>;
  body: string;
  totalTimeoutMs: number;
  lookup: LookupFunction;
}

async function post(outgoing: Outgoing, agents: Agents, policy: TargetPolicy): Promise<PostResult> {
  const { url, target, headers, body, lookup } = outgoing;
  const at = new Date();
  const tracer = new Tracer();
  const traced = () => {
    const trace = tracer.trace();
    return { at, durationMs: trace.timings.total_ms, ...trace };
  };
  if (url.protocol !== 'https:' || !mayAsk(target, policy))
    return { ...traced(), ...headOf(undefined), error: 'blocked_address', isBlockedUrl: true };
  const seen: { request?: ClientRequest; response?: IncomingMessage } = {};
  const watch = (request: ClientRequest) => {
    tracer.watch(request);
    seen.request = request;
    request.once('response', (response) => (seen.response = response));
  };
  const send = (agent: Agent) => exchange({ method: 'POST', url, headers, body, agent, lookup, answerBytesMax, watch });
  // A signal costs a tenth of the POST, and `AbortSignal.timeout` cannot be cleared: it would make an exception after each POST.
  const timer = setTimeout(() => seen.request?.destroy(outOfTime()), outgoing.totalTimeoutMs);
  try {
    const answer = await send(agents.kept).catch((error: unknown) => {
      // The receiver may have closed a kept connection just before the request: RFC 9112 §9.3.1.
      const isStale = seen.request?.reusedSocket === true && seen.response === undefined && classify(error) === 'reset';
      if (isStale && !agents.isClosed) return send(agents.fresh);
      throw error;
    });
    const read = { responseStatus: answer.status, responseBody: readable(answer.body), retryAfter: answer.headers['retry-after'] };
    return { ...traced(), ...read, error: errorOf(answer.status) };
  } catch (error) {
    return { ...traced(), ...headOf(seen.response), error: classify(error) };
  } finally {
    clearTimeout(timer);
  }
}

/** The status and the requested wait are known before the body, which may not end. */
const headOf = (response: IncomingMessage | undefined) => ({
  responseStatus: response?.statusCode ?? null,
  responseBody: null,
  retryAfter: response?.headers['retry-after'],
});

/** A literal address is checked here, because Node.js does not call `lookup` for it. */
const mayAsk = ({ host, port }: Outgoing['target'], policy: TargetPolicy) =>
  isIP(host) === 0 ? faultOfName(host, policy) === null : isAllowedTarget(host, port, policy);

/** The first part of the answer, as text that PostgreSQL can store. */
function readable(bytes: Buffer): string | null {
  if (bytes.length === 0) return null;
  return new TextDecoder().decode(bytes.subarray(0, keptBytesMax)).replaceAll('\0', '\uFFFD');
}

function errorOf(status: number): PostError | null {
  if (status >= 200 && status < 300) return null;
  if (status === 410) return 'gone';
  return status >= 300 && status < 400 ? 'redirect' : 'http_status';
}

const outOfTime = () => Object.assign(new Error('The receiver did not respond in time'), { code: 'ETIMEDOUT' });

const byCode: Readonly<Record<string, PostError>> = {
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  ETIMEOUT: 'dns',
  ECONNREFUSED: 'refused',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  ETIMEDOUT: 'timeout',
};

function classify(error: unknown): PostError {
  if (error instanceof BlockedAddressError) return 'blocked_address';
  const { code = '' } = error as { code?: string };
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_VERIFY|INVALID_(?:PURPOSE|CA)|PATH_LENGTH|EPROTO/.test(code)) return 'tls';
  return byCode[code] ?? 'network';
}
