/** Creates checkout sessions, one per request, even if the request is repeated or sent twice at the same time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { makeId } from '../../models/rules/values/make-id.js';
import type { OrderRow } from '../../models/tables/credit-order.js';
import { CreditPackage } from '../../models/tables/credit-package.js';
import { billingNotConfigured, idempotencyMismatch, internal } from '../../models/errors.js';
import { deleteOrder, findOrder, insertOrder, leaseOrder, storeSession } from '../../models/operations/billing/open-order.js';
import type { Origin } from '../../models/rules/audit/origin.js';
import type { Deps } from '../deps.js';
import type { Caller } from '../http/caller.js';

export interface CheckoutRequest {
  packageId: string;
  idempotencyKey: string | null;
  /** Of the body; null without an idempotency key. */
  digest: Buffer | null;
  origin: Origin;
}

export interface Checkout {
  sessionId: string;
  url: string;
  /** The request repeats an earlier one; this is the session of the earlier request. */
  isReplay: boolean;
}

/** How long a request waits for a request with the same key that is calling the payment provider. */
const waitMsMax = 15_000;
const pollMs = 50;

/**
 * Creates the checkout session of an order for this package.
 * @throws AppError 503 when billing is not configured, 422 when the idempotency key was used for another request, 404 for an unknown
 * package, 402 when the payment provider refuses, 500 when it fails, or a request with the same key still waits for it. No order of this request is
 * stored then, unless the database fails: a repetition with the same key takes that order over, when its lease has ended.
 */
export async function openCheckout(deps: Deps, caller: Caller, request: CheckoutRequest): Promise<Checkout> {
  const { packageId, idempotencyKey, digest, origin } = request;
  if (!deps.payments.canSell) throw billingNotConfigured();
  const { workspaceId } = caller;
  const deadline = performance.now() + waitMsMax;
  do {
    const known = idempotencyKey === null ? null : await findOrder(workspaceId, idempotencyKey);
    if (known !== null) {
      if (digest === null || known.request_digest?.equals(digest) !== true) throw idempotencyMismatch();
      if (typeof known.session_id === 'string' && typeof known.checkout_url === 'string')
        return { sessionId: known.session_id, url: known.checkout_url, isReplay: true };
      if (await leaseOrder(deps.db, known.id)) return askProvider(deps, known.get() as OrderRow, origin);
      await sleep(pollMs);
      continue;
    }
    const creditPackage = await CreditPackage.forSaleById(packageId);
    const order = await insertOrder(deps.db, {
      id: makeId(),
      workspaceId,
      creditPackage,
      idempotencyKey,
      digest,
    });
    if (order !== null) return askProvider(deps, order, origin);
  } while (performance.now() < deadline);
  throw internal(new Error('a request with the same idempotency key is still waiting for the payment provider'), 5);
}

/** If the response of the provider is lost, the session that it created is never shown to the customer, so it is never paid. */
async function askProvider({ db, payments }: Deps, order: OrderRow, origin: Origin): Promise<Checkout> {
  const session = await payments.openSession(order).catch(async (error: unknown) => {
    await deleteOrder(db, order.id);
    throw error;
  });
  await storeSession(db, order.id, session, origin);
  return { sessionId: session.id, url: session.url, isReplay: false };
}
