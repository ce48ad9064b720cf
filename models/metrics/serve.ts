/**
 * The page of metrics of a process, on a port of its own that is not for clients. It is in models/ because both the API and the workers use it,
 * and they do not import each other.
 */
import { statfs } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { AggregatorRegistry, collectDefaultMetrics, Registry } from 'prom-client';
import type { Logger } from '../process/logger.js';
import { processMetrics } from './catalogue.js';
import { registry } from './declare.js';
import { mergePages } from './families.js';
import { OtherThreads, ownSnapshot, type MetricsSnapshot } from './threads.js';

export interface MetricsOptions {
  host: string;
  /** 0: there is no page. */
  port: number;
  /** The port was set explicitly, so a port in use is an error. */
  isGiven: boolean;
  /** The folder whose disk is shown. */
  dataDir: string;
  logger: Logger;
  /** Called before each page, to bring gauges up to date; bounded in time by itself. */
  refresh?: () => Promise<void>;
}

let isCollecting = false;

/** CPU, memory, event loop and garbage collection of the process. */
function collect(): true {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 50 });
  // prom-client leaves it out when it adds up several processes. We add up the threads of one.
  Object.assign(registry.getSingleMetric('process_start_time_seconds') ?? {}, { aggregator: 'max' });
  return true;
}

const corePageMsMax = 1_000;
const connectionsMax = 20;

/**
 * Serves `/metrics`, and `/live` for health checks. It keeps no process alive.
 * @throws Error when the port is taken and was set explicitly; otherwise this is logged
 */
export async function serveMetrics({ host, port, isGiven, dataDir, logger, refresh }: MetricsOptions): Promise<void> {
  if (port === 0) return;
  isCollecting ||= collect();
  const threads = new OtherThreads();
  const server = createServer((req, res) => {
    respond(req, res, async (openMetrics) => {
      await Promise.all([
        readDisk(dataDir),
        refresh?.().catch((err: unknown) => logger.warn({ err }, 'gauges could not be read: this scrape lacks them')),
      ]);
      return pageOf([await ownSnapshot(), ...(await threads.ask())], openMetrics);
    }).catch((err: unknown) => {
      logger.warn({ err }, 'the metrics could not be served: this scrape fails');
      if (res.headersSent) res.destroy();
      else res.writeHead(500).end();
    });
  });
  server.maxConnections = connectionsMax;
  server.unref();
  const fault = await listening(server, host, port);
  if (fault === undefined) return;
  threads.close();
  if (isGiven) throw new Error(`Port ${port} on ${host} cannot serve the metrics (${fault}): set METRICS_PORT to a free one, or to 0.`);
  logger.warn({ host, port, fault }, 'no metrics: the port is taken. Set METRICS_PORT to a free one, or to 0');
}

async function readDisk(folder: string): Promise<void> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    processMetrics.diskFree.set(bavail * bsize);
    processMetrics.diskSize.set(blocks * bsize);
  } catch {
    for (const gauge of [processMetrics.diskFree, processMetrics.diskSize]) gauge.remove();
  }
}

function listening(server: Server, host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port }, () => resolve(undefined));
  });
}

async function respond(req: IncomingMessage, res: ServerResponse, page: (openMetrics: boolean) => Promise<string>): Promise<void> {
  const path = req.url?.split('?')[0];
  res.setHeader('Connection', 'close');
  if (path !== '/metrics' && path !== '/live') return void res.writeHead(404).end();
  if (req.method !== 'GET' && req.method !== 'HEAD') return void res.writeHead(405, { Allow: 'GET, HEAD' }).end();
  if (path === '/live') return void res.writeHead(200, { 'Content-Type': 'application/json' }).end('{"status":"ok"}');
  const openMetrics = req.headers.accept?.includes('application/openmetrics-text') === true;
  const type = openMetrics ? Registry.OPENMETRICS_CONTENT_TYPE : Registry.PROMETHEUS_CONTENT_TYPE;
  res.writeHead(200, { 'Content-Type': type }).end(await page(openMetrics));
}

async function pageOf(snapshots: readonly MetricsSnapshot[], openMetrics: boolean): Promise<string> {
  const all = AggregatorRegistry.aggregate(snapshots.map(({ metrics }) => metrics));
  const corePages = await Promise.all(snapshots.flatMap(({ corePage }) => (corePage === undefined ? [] : [read(corePage)])));
  return mergePages([await all.metrics(), ...corePages], openMetrics) + (openMetrics ? '# EOF\n' : '');
}

/** Temporal's own metrics; a page that cannot be read is left out. */
async function read(address: string): Promise<string> {
  try {
    const page = await fetch(`http://${address}/metrics`, { signal: AbortSignal.timeout(corePageMsMax) });
    return await page.text();
  } catch {
    return '';
  }
}
