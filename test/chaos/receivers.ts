/** Receivers of webhooks. Each webhook has its own receiver, reliable or not, whose requests are in the history. */
import type { IncomingHttpHeaders } from 'node:http';
import { hasHexSignature, hasStandardSignature } from '../../local/demo/demo-receiver.js';
import { type Received, type Receiver, startReceiver } from '../support/network/receiver.js';
import type { HistoryWriter } from './history.js';
import type { Random } from './random.js';

/** `slow` acknowledges late, `flaky` refuses some. */
export const receiverKinds = ['good', 'slow', 'flaky'] as const;
export type ReceiverKind = (typeof receiverKinds)[number];

/** The behaviour that a nemesis sets. */
export type ReceiverMode = 'usual' | 'hang' | 'fail';

export interface HookReceiver {
  port: number;
  mode: ReceiverMode;
  /** Gives the receiver its webhook. @param secret for the verification of signatures */
  belongsTo(webhook: string, secret: string): void;
  close(): Promise<void>;
}

const slowMs = { min: 300, max: 2_500 };
const flakyShare = 0.05;

/** Starts a receiver on a free port of 127.0.0.1. */
export async function startHookReceiver(kind: ReceiverKind, random: Random, history: HistoryWriter): Promise<HookReceiver> {
  let [webhook, secret] = ['', ''];
  const receiver: Receiver = await startReceiver((received, response) => {
    const status = statusOf(hook.mode, kind, random);
    note(history, webhook, secret, received, status);
    if (status === null) return; // the connection stays open
    const answer = () => response.writeHead(status).end();
    if (kind === 'slow') setTimeout(answer, random.between(slowMs.min, slowMs.max));
    else answer();
  });
  const hook: HookReceiver = {
    port: receiver.port,
    mode: 'usual',
    belongsTo: (id, its) => {
      [webhook, secret] = [id, its];
    },
    close: () => receiver.close(),
  };
  return hook;
}

function statusOf(mode: ReceiverMode, kind: ReceiverKind, random: Random): number | null {
  if (mode === 'hang') return null;
  if (mode === 'fail' || (kind === 'flaky' && random.chance(flakyShare))) return random.choose([500, 503, 429]);
  return 200;
}

function note(history: HistoryWriter, webhook: string, secret: string, { headers, body }: Received, answers: number | null): void {
  const bytes = Buffer.from(body);
  history.append({
    type: 'event',
    webhook,
    id: textOf(headers, 'webhook-id'),
    event: textOf(headers, 'x-service-event'),
    body,
    signed: hasHexSignature(headers, bytes, secret) && hasStandardSignature(headers, bytes, secret),
    answers,
  });
}

const textOf = (headers: IncomingHttpHeaders, name: string): string => String(headers[name] ?? '');
