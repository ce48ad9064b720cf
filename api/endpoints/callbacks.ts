/** Delivery reports of the providers: verified, stored, and only then answered. */
import Joi from 'joi';
import { notFound } from '../../models/errors.js';
import { recordReports } from '../../models/operations/record-reports.js';
import type { CallbackReader } from '../../models/rules/callbacks/callback.js';
import { readSandboxCallback, sandboxProvider } from '../../models/rules/callbacks/sandbox.js';
import type { Deps } from '../deps.js';
import { endpoint } from '../endpoint.js';

/** One reader a provider: checks its signature and understands its body. */
const readers = new Map<string, (deps: Deps) => CallbackReader>([
  [
    sandboxProvider,
    ({ config }) =>
      (request) =>
        readSandboxCallback(config.secretKey, request),
  ],
]);

export const receiveReports = endpoint({
  id: 'callbacks.receive',
  method: 'post',
  path: '/callbacks/:provider',
  summary: 'Delivery reports of a provider, authenticated by its signature',
  auth: 'provider',
  rate: 'callback',
  bodyBytesMax: 1024 * 1024,
  refusals: [400, 403, 413],
  response: Joi.object({ received: Joi.number().integer().required() }),
  async handler({ params, signed }, deps) {
    const read = readers.get(params.provider);
    if (read === undefined) throw notFound();
    const events = read(deps)({ ...signed, at: new Date() });
    const reports = events.filter((event) => event.kind === 'report');
    const wakes = await recordReports(deps.db, reports);
    // The inbox is durable: a workflow that cannot be woken now will be by the watcher.
    const wakeAll = wakes.map((wake) =>
      deps.temporal.wake(wake).catch((err: unknown) => deps.logger.warn({ err, workflow_id: wake.workflowId }, 'workflow was not woken')),
    );
    await Promise.all(wakeAll);
    return { received: events.length };
  },
});
