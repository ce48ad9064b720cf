import { unknownRoute } from '../../models/metrics/observe.js';
import { isRecorded, recordSpan } from '../../models/tracing/tracing.js';
import { traceStart } from '../../models/tracing/trace-context.js';

/** The part of the context of a request that its span shows. */
interface Traced {
  newId: string;
  route: string;
  traceparent: string | null;
  workspaceId: string | undefined;
}

/** Probes come every few seconds and show nothing. */
const probes = new Set(['/health', '/live', '/ready']);

/**
 * Records the span of a request that is over: the root of the trace of what it sends.
 * @returns the id of the trace; undefined if it is not recorded
 */
export function traceRequest(method: string | undefined, context: Traced, status: number, durationMs: number): string | undefined {
  const { newId, route, traceparent, workspaceId } = context;
  if (!isRecorded(newId) || probes.has(route)) return undefined;
  const { root, client: parent } = traceStart(newId, traceparent);
  recordSpan({
    name: route === unknownRoute ? `${method}` : `${method} ${route}`,
    kind: 'server',
    context: root,
    parent,
    attributes: {
      'http.request.method': method,
      'http.route': route === unknownRoute ? undefined : route,
      'http.response.status_code': status,
      'workspace.id': workspaceId,
    },
    begunAt: Date.now() - durationMs,
    durationMs,
    error: status >= 500 ? String(status) : undefined,
  });
  return root.traceId;
}
