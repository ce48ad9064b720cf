/** The sandbox provider: plays a carrier without a network. `report-poster.ts` posts its reports over HTTP. */
import type { Database } from '../../../models/db/database.js';
import { BatchQueue } from '../../../models/flow/batch-queue.js';
import { lastReport, type SandboxCall, type Taken, takeMessages } from '../../../models/operations/messages/sandbox.js';
import { failureOf } from '../../../models/rules/messages/error-codes.js';
import { sandboxProvider } from '../../../models/rules/callbacks/sandbox.js';
import { scriptFor } from '../../../models/rules/messages/sandbox-recipients.js';
import type { FetchedStatus, OutgoingMessage, Provider, SendOutcome } from './provider.js';

export interface SandboxDeps {
  db: Database;
  delayMs: number;
  /** Called after a hand-off with the milliseconds until a report is due. */
  onTaken: (dueInMs: number) => void;
}

/** Messages that take longer wait for a lock, or for an answer that was lost. Others do not wait for them. */
const taking = { maxBatchSize: 50, concurrency: 2, slowAfterMs: 2_000 };

export function sandboxAdapter({ db, delayMs, onTaken }: SandboxDeps): Provider {
  // Calls in parallel share one statement: a real carrier would not cost this machine anything.
  const takes = new BatchQueue<SandboxCall, Taken>((calls) => takeMessages(db, calls), taking);
  return {
    name: sandboxProvider,
    idempotent: true,
    connectionsMax: Number.POSITIVE_INFINITY,

    async send({ id, channel, to }: OutgoingMessage): Promise<SendOutcome> {
      const script = scriptFor(channel, to);
      if (script.refused !== undefined) {
        const { code, message } = failureOf(channel, script.refused);
        return { outcome: 'rejected', error_code: code, error_message: message, provider_error_code: script.refused };
      }
      const { provider_message_id } = await takes.add({ messageId: id, script, delayMs });
      if (provider_message_id === null) return { outcome: 'retryable', detail: 'unavailable' };
      for (const step of new Set(script.reports.map((report) => report.step))) onTaken(step * delayMs);
      return { outcome: 'accepted', provider_message_id };
    },

    async fetchStatus(provider_message_id: string): Promise<FetchedStatus | null> {
      const report = await lastReport(db, provider_message_id);
      if (report === undefined) return null;
      return {
        status: report.status,
        error_code: report.error_code,
        is_permanent: false,
        provider_error_code: report.error_code,
        occurred_at: new Date(report.occurred_at),
        raw: JSON.stringify(report),
      };
    },
  };
}
