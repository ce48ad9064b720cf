/**
 * The HTTP server of the application: its timeouts for slow clients, its connection limits, the order in which requests start, and its
 * answers to malformed HTTP.
 */
import { createServer, type RequestListener, type Server } from 'node:http';
import { isIPv6, type Socket } from 'node:net';
import { isAddressInNetworks } from '../../models/rules/webhooks/address.js';
import { Tally } from '../../models/flow/tally.js';
import { createMalformedListener, createTunnelListener, notingResponses } from './errors/malformed.js';
import { type ClientAddress, createClientAddress } from './client-address.js';
import { addressKey, type Limiter } from './rate-limit.js';
import { RequestTurns } from './request-turns.js';

/** Timeouts in milliseconds. */
export interface Timeouts {
  /** For receiving the headers of a request. */
  headersMs: number;
  /** For receiving a whole request. */
  requestMs: number;
  /** How often these two timeouts are checked. */
  checkIntervalMs: number;
  /** For the next request on an open connection. It is longer than that of common load balancers. */
  keepAliveMs: number;
  /** Without a byte in either direction, also while a client does not read its response. It is longer than the slowest response. */
  idleMs: number;
}

export const defaultTimeouts: Timeouts = {
  headersMs: 10_000,
  requestMs: 20_000,
  checkIntervalMs: 2_000,
  keepAliveMs: 65_000,
  idleMs: 70_000,
};

/** Pipelined requests of one connection that have not started. With more, the connection is closed. */
const waitingOfConnectionMax = 100;

/** How many connections a server accepts. It closes further ones immediately. */
export interface ConnectionLimits {
  max: number;
  maxPerAddress: number;
  /** Networks (CIDR) and addresses of proxies. Their connections belong to many clients, so `maxPerAddress` does not apply. */
  proxies: readonly string[];
}

/**
 * Creates a server that does not listen yet. A client that sends too slowly gets 408. A client that does not read its response is disconnected.
 * Requests of different clients start in turn; see `RequestTurns`.
 */
export function createHttpServer(
  app: RequestListener,
  limiter: Limiter,
  timeouts: Timeouts = defaultTimeouts,
  connections?: ConnectionLimits,
): Server {
  const options = {
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    connectionsCheckingInterval: timeouts.checkIntervalMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    requireHostHeader: false, // the application checks it, to answer with its own error text
  };
  const turns = new RequestTurns();
  const noting = notingResponses(startingInTurn(app, turns, createClientAddress(connections?.proxies ?? [])));
  const server = createServer(options, noting);
  server.timeout = timeouts.idleMs;
  server.on('checkExpectation', noting); // an unknown `Expect` header is ignored
  server.on('clientError', createMalformedListener(limiter));
  server.on('connect', createTunnelListener(limiter));
  if (connections !== undefined) limitConnections(server, connections);
  server.on('connection', (socket) => socket.destroyed || turns.noteConnection());
  return server;
}

/**
 * Wraps an application, so that its requests start in turn. Without a limit, the parser would read pipelined requests faster than they start,
 * and they would fill the memory.
 */
function startingInTurn(app: RequestListener, turns: RequestTurns, addressOf: ClientAddress): RequestListener {
  const waiting = new WeakMap<Socket, number>();
  const countWaiting = (socket: Socket, more: 1 | -1): number => {
    const count = (waiting.get(socket) ?? 0) + more;
    waiting.set(socket, count);
    return count;
  };
  return (req, res) => {
    const { socket } = req;
    if (socket.destroyed || countWaiting(socket, 1) > waitingOfConnectionMax) return void socket.destroy();
    turns.add(addressKey(addressOf(req)), () => {
      countWaiting(socket, -1);
      // The application would wait for events of a closed connection for ever.
      if (!socket.destroyed) app(req, res);
    });
  };
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
