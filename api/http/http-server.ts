/** The HTTP server below the application: how long it is patient with slow clients, and its answers to what is not HTTP. */
import { createServer, type RequestListener, type Server } from 'node:http';
import { isIPv6, type Socket } from 'node:net';
import { isInNetworks } from '../../models/rules/webhooks/address.js';
import { Tally } from '../../models/flow/tally.js';
import { createMalformedListener } from './malformed.js';
import { addressKey, type Limiter } from './rate-limit.js';

/** Milliseconds that a client has. */
export interface Patience {
  /** For the head of a request. */
  headersMs: number;
  /** For a whole request. */
  requestMs: number;
  /** How often these two are looked at. */
  lookMs: number;
  /** Between requests; longer than the usual load balancer's. */
  keepAliveMs: number;
  /** Without a byte in either direction, also while an answer waits to be read; longer than any answer takes. */
  silenceMs: number;
}

export const usualPatience: Patience = { headersMs: 10_000, requestMs: 20_000, lookMs: 2_000, keepAliveMs: 65_000, silenceMs: 70_000 };

/** Connections that a server takes; what is more is closed at once. */
export interface Bounds {
  most: number;
  ofAddress: number;
  /** Networks (CIDR) and addresses whose connections are those of many clients, and are not counted by address. */
  proxies: readonly string[];
}

/** A server that does not listen yet. A client that is too slow is answered 408 and cut off; one that takes no answer is cut off. */
export function createHttpServer(app: RequestListener, limiter: Limiter, patience: Patience = usualPatience, bounds?: Bounds): Server {
  const options = {
    headersTimeout: patience.headersMs,
    requestTimeout: patience.requestMs,
    connectionsCheckingInterval: patience.lookMs,
    keepAliveTimeout: patience.keepAliveMs,
    requireHostHeader: false, // the application refuses it in its own words
  };
  const server = createServer(options, app);
  server.timeout = patience.silenceMs;
  server.on('checkExpectation', app); // an expectation that nobody knows is not met, and harms nobody
  server.on('clientError', createMalformedListener(limiter));
  if (bounds !== undefined) keepWithin(server, bounds);
  return server;
}

function keepWithin(server: Server, { most, ofAddress, proxies }: Bounds): void {
  const connections = new Tally();
  const networks = proxies.map((proxy) => (proxy.includes('/') ? proxy : `${proxy}/${isIPv6(proxy) ? 128 : 32}`));
  server.maxConnections = most;
  server.prependListener('connection', (socket: Socket) => {
    const { remoteAddress = '' } = socket;
    if (isInNetworks(remoteAddress, networks)) return;
    const address = addressKey(remoteAddress);
    if (connections.of(address) >= ofAddress) return void socket.destroy();
    connections.add(address);
    socket.once('close', () => connections.remove(address));
  });
}
