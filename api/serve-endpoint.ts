/** How a request to an endpoint is served, step by step. */
import type { RequestHandler } from 'express';
import type { MemoryReservation } from '../models/flow/memory-budget.js';
import { type Access, bucketOf, keyIdOf } from './auth/admit.js';
import { assertPortalWebhook } from './auth/portal.js';
import { assertMaySend } from './auth/sending-rules.js';
import type { Deps } from './deps.js';
import { createCallbackFailures } from './http/callback-failures.js';
import { noHeaders } from './http/rate-limit.js';
import type { Caller } from './http/caller.js';
import type { Bucket } from './http/limits/counters.js';
import type { Endpoint, LogWorkspace } from './http/endpoint.js';
import type { HandlerRequest } from './http/handler-request.js';
import { addressKey, siteOf } from './http/client-address.js';
import { idsOf, readHandlerRequest } from './http/read-request.js';
import type { Reply } from './http/reply.js';
import { contextOf, logCaller } from './http/request-context.js';
import type { ResourceLimits } from './http/resource-limits.js';
import { runHandler } from './http/run-handler.js';
import { writeReply } from './http/write-reply.js';

/**
 * Returns a function that makes the Express handler of an endpoint. Every request passes the same steps: rate limit → authenticate →
 * scope → read the body → accept gate → validate → handle → reply. An API key that this process has not seen yet is authenticated
 * before it is counted, see `auth/admit.ts`.
 */
export function createEndpointServer(
  deps: Deps,
  { authenticator, admit }: Access,
  limits: ResourceLimits,
): (item: Endpoint<Deps>) => RequestHandler {
  const limitFailures = createCallbackFailures(deps.limiter);

  return (item) => async (req, res) => {
    const context = contextOf(res);
    context.route = item.path;
    const address = addressKey(context.address);
    const credential = await authenticator.read(item.auth, req, res);
    const caller = await admit({ item, credential, address, note: (known) => logCaller(res, known) }, res);
    const admittedAt = performance.now();
    assertPortalWebhook(caller, idsOf(req));
    const siteBucket = siteBucketOf(item, context.address);
    if (siteBucket !== null) await deps.limiter.consume(siteBucket, noHeaders);
    if (item.sends === true && caller !== null) assertMaySend(caller, deps.config);

    const account = deps.config.accounts.find(({ name }) => name === req.params.provider)?.name; // an invented name is none
    await withResources(item, limits, { caller, address, ip: context.address }, (memory) =>
      limitFailures({ item, account, address }, res, async () => {
        const request = await readHandlerRequest(item, req, { caller, memory }, { ...deps, context });
        await authenticator.assertStillValid(item.auth, credential, admittedAt);
        const rate = item.secondRate?.(request.body);
        if (rate !== undefined)
          await deps.limiter.consume(bucketOf({ ...item, rate }, credential, address, caller === null ? undefined : keyIdOf(caller)), res);
        const reply = await runEndpoint(item, request, deps, (workspaceId) => logCaller(res, { workspaceId }));
        await writeReply(item, reply, res, { publicUrl: deps.config.publicUrl, answers: limits.answerMemory });
      }),
    );
  };
}

/**
 * A second rate limit for /auth, in addition to the limit per address: the bucket of the IPv6 site (/48). One customer may own a /48 with 65,536
 * networks. Null for IPv4 and other endpoints.
 */
function siteBucketOf({ id, rate }: Pick<Endpoint, 'id' | 'rate'>, ip: string | undefined): Bucket | null {
  const site = rate === 'auth' ? siteOf(ip) : null;
  return site === null ? null : { rateClass: 'site', key: `${id}:${site}` };
}

/** Runs the work with a memory reservation for the body. A bulk request first waits until few others of its workspace are running. */
async function withResources(
  item: Endpoint,
  limits: ResourceLimits,
  { caller, address, ip }: { caller: Caller | null; address: string; ip: string | undefined },
  work: (memory: MemoryReservation) => Promise<void>,
): Promise<void> {
  const owner = caller?.workspaceId ?? address;
  const run = async () => {
    const memory =
      caller === null ? limits.addressMemory.reservationFor(address, siteOf(ip) ?? address) : limits.workspaceMemory.reservationFor(owner);
    try {
      await work(memory);
    } finally {
      memory.release();
    }
  };
  await (item.inBulkThread === true ? limits.bulkRequests(run, owner) : run());
}

/** Runs the handler: in the bulk thread, behind the accept gate, or directly. The gate comes after the body, so slow uploads take no place in it. */
export async function runEndpoint(item: Endpoint<Deps>, request: HandlerRequest, deps: Deps, logWorkspace?: LogWorkspace): Promise<Reply> {
  if (item.inBulkThread === true && item.isCheap?.(request.body) !== true) return deps.bulkThread.runHandler(item.id, request);
  const leave = item.gated === true && request.caller !== null ? deps.acceptGate.enter(request.caller.workspaceId) : undefined;
  try {
    return await runHandler(item, request, deps, logWorkspace);
  } finally {
    leave?.();
  }
}
