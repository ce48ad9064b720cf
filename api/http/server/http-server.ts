/**
 * The HTTP server of the application: its timeouts for slow clients, its connection limits, the order in which first requests start, and its
 * answers to malformed HTTP.
 */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { isIPv6, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { isAddressInNetworks } from '../../../models/rules/values/networks.js';
import { type StallWatch, watchStalls } from '../../../models/flow/watch-stalls.js';
import { Tally } from '../../../models/flow/tally.js';
import { createMalformedListener, createTunnelListener } from './malformed.js';
import { continuing, withBodyTimeout } from './body-timeout.js';
import { withCloseAnnounced, closeInStages } from './closing.js';
import { FirstRequestTurns, withTurns } from './first-requests.js';
import { addressKey, createClientAddress } from '../client-address.js';
import { closeIdle, withOpenResponses } from './open-responses.js';
import type { Limiter } from '../rate-limit.js';

/** Timeouts in milliseconds. */
export interface Timeouts {
  /** For receiving the headers of a request. */
  headersMs: number;
  /** How often this timeout is checked. */
  checkIntervalMs: number;
  /** For receiving the body of a request, from when the service begins to read it. */
  bodyMs: number;
  /** For the next request on an open connection. It is longer than that of common load balancers. */
  keepAliveMs: number;
  /** Without a byte in either direction, also while a client does not read its response. It does not apply while the service owes a response. */
  idleMs: number;
  /** For the client to close a connection after the last response. Until then the service discards what still arrives. */
  lingerMs: number;
  /** If the process stood still for this time, it does not know which client was slow. Default: 3 s. */
  stallMs?: number;
}

export const defaultTimeouts: Timeouts = {
  headersMs: 10_000,
  checkIntervalMs: 2_000,
  bodyMs: 20_000,
  keepAliveMs: 65_000,
  idleMs: 70_000,
  lingerMs: 2_000,
};

/** How many connections a server accepts. It closes further ones immediately. */
export interface ConnectionLimits {
  max: number;
  maxPerAddress: number;
  /** Networks (CIDR) and addresses of proxies. Their connections belong to many clients, so `maxPerAddress` does not apply. */
  proxies: readonly string[];
}

/** What the server uses of the process. */
export interface Serving {
  limiter: Limiter;
  /** As soon as this is true, every response announces that its connection closes. */
  readonly isDraining: boolean;
}

/**
 * Creates a server that does not listen yet. A client that sends too slowly gets 408. A client that does not read its response is disconnected.
 * The first requests of different clients start in turn; see `FirstRequestTurns`.
 */
export function createHttpServer(
  app: RequestListener,
  serving: Serving,
  timeouts: Timeouts = defaultTimeouts,
  connections?: ConnectionLimits,
): Server {
  const { limiter } = serving;
  const options = {
    headersTimeout: timeouts.headersMs,
    requestTimeout: 0, // see `withBodyTimeout`
    connectionsCheckingInterval: timeouts.checkIntervalMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    requireHostHeader: false, // the application checks it, to answer with its own error text
    keepAlive: true, // so that the system notices a client that vanished while it waits for a response
    keepAliveInitialDelay: timeouts.idleMs,
  };
  const refuse = createMalformedListener(limiter, timeouts.idleMs);
  const tooSlow = Object.assign(new Error('the body did not arrive in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
  const stalls = watchStalls(timeouts.stallMs ?? 3_000);
  const { bodyMs } = timeouts;
  const limited = withBodyTimeout(app, { bodyMs, refuse: (socket) => refuse(tooSlow, socket), hasStalled: stalls.isRecent });
  const turns = new FirstRequestTurns();
  const addressOf = createClientAddress(connections?.proxies ?? []);
  const inTurn = withTurns(limited, turns, (req) => addressKey(addressOf(req)));
  const handler = withOpenResponses(withCloseAnnounced(inTurn, serving));
  const server = createServer(options, handler);
  server.timeout = timeouts.idleMs;
  server.maxHeadersCount = 0; // Node would drop header lines above its limit, such as the `Idempotency-Key`. Their bytes are limited
  server.on('checkExpectation', handler); // an unknown `Expect` header is ignored
  server.on('checkContinue', (req, res) => {
    continuing(req, res);
    handler(req, res);
  });
  refuseLate(server, refuse, timeouts, stalls);
  server.on('connect', createTunnelListener(limiter));
  closeInStages(server, timeouts);
  if (connections !== undefined) limitConnections(server, connections);
  server.on('connection', (socket) => socket.destroyed || turns.noteConnection());
  return server;
}

/**
 * Refuses what Node's parser reports, and closes idle connections, but nothing that is late just after the process stood still. It may have arrived
 * meanwhile, and a carrier that gets 408 may not repeat its report. Node reports a late head only once, so such a connection has the time for a head once
 * more here.
 */
function refuseLate(
  server: Server,
  refuse: ReturnType<typeof createMalformedListener>,
  { headersMs, idleMs }: Timeouts,
  stalls: StallWatch,
): void {
  server.once('close', stalls.end);
  server.on('timeout', (socket) => (stalls.isRecent() ? socket.setTimeout(idleMs) : closeIdle(socket)));
  const spared = new WeakSet<Duplex>();
  for (const event of ['request', 'checkContinue', 'checkExpectation', 'connect'])
    server.prependListener(event, ({ socket }: IncomingMessage) => void spared.delete(socket));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code !== 'ERR_HTTP_REQUEST_TIMEOUT' || !stalls.isRecent()) return refuse(error, socket);
    spared.add(socket);
    const expire = () => {
      if (!spared.has(socket)) return;
      if (stalls.isRecent()) timer.refresh();
      else refuse(error, socket);
    };
    const timer = setTimeout(expire, headersMs).unref();
  });
}

function limitConnections(server: Server, { max, maxPerAddress, proxies }: ConnectionLimits): void {
  const perAddress = new Tally();
  const networks = proxies.map((proxy) => (proxy.includes('/') ? proxy : `${proxy}/${isIPv6(proxy) ? 128 : 32}`));
  server.maxConnections = max;
  server.prependListener('connection', (socket: Socket) => {
    const { remoteAddress = '' } = socket;
    if (isAddressInNetworks(remoteAddress, networks)) return;
    const address = addressKey(remoteAddress);
    if (perAddress.of(address) >= maxPerAddress) return void socket.destroy();
    perAddress.add(address);
    socket.once('close', () => perAddress.remove(address));
  });
}
