/**
 * The HTTP door of a carrier: it stands before the counterpart that speaks the carrier's protocol, and gives it the time, the moods and
 * the accidents of a real one. Each request for a message is in the history with what came of it.
 */
import { request, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Counterpart, drop, reply, startCounterpart, type Taken } from '../../support/carriers/counterpart.js';
import type { HistoryWriter } from '../history.js';
import { type CarrierName, type HandoffLog, logHandoff } from './carrier-log.js';
import type { Fate, Manner } from './manner.js';

/** What the door has to know of a carrier's protocol. */
export interface Protocol {
  name: CarrierName;
  /** The message that a request wants sent; null where it wants something else, which is passed on untouched. */
  read(request: Taken): { token: string; to: string } | null;
  /** The carrier's id of the message in the answer of the counterpart. */
  idIn(answer: unknown): string;
  /** Says that this message will never be sent. */
  refuse(response: ServerResponse): void;
}

export interface FrontHooks {
  history: HistoryWriter;
  manner: Manner;
  /** A message was taken: the carrier will report on it. */
  onTaken(providerId: string, message: { token: string; to: string }): void;
}

/** The counterpart's answer. */
interface Upstream {
  status: number;
  body: string;
}

const upstreamMsMax = 10_000;

/** Opens the door on a free port of 127.0.0.1. */
export function startFront(counterpart: Counterpart, protocol: Protocol, hooks: FrontHooks): Promise<Counterpart> {
  return startCounterpart((given, response) => {
    const message = protocol.read(given);
    if (message === null) {
      void forward(counterpart, given).then(
        (answer) => pass(response, answer),
        () => drop(response),
      );
      return;
    }
    const log = logHandoff(hooks.history, protocol.name, message);
    const take = async () => {
      const answer = await forward(counterpart, given);
      if (answer.status >= 300) return answer;
      const id = protocol.idIn(JSON.parse(answer.body));
      log.did('took', id);
      hooks.onTaken(id, message);
      return answer;
    };
    watchAnswer(response, log);
    void serve(hooks.manner, protocol, { take, log, response }).catch(() => drop(response));
  });
}

interface Served {
  /** Hands the request to the counterpart, which takes the message. */
  take(): Promise<Upstream>;
  log: HandoffLog;
  response: ServerResponse;
}

async function serve(manner: Manner, protocol: Protocol, { take, log, response }: Served): Promise<void> {
  const fate = manner.fate();
  const { before, after } = manner.latency();
  await sleep(before);
  const answer = takes(fate) ? await take() : undefined;
  if (fate.kind === 'refuse') log.did('refused');
  if (fate.kind === 'busy' && !fate.takes) log.did('busy');
  if (fate.kind === 'busy' && fate.status >= 500) log.did('unclear');
  if (answer !== undefined && answer.status >= 300) log.did('refused');
  await sleep(after);
  if (fate.kind === 'silence') return void (fate.cuts && drop(response));
  if (fate.kind === 'refuse') return protocol.refuse(response);
  if (fate.kind === 'busy') {
    reply(response, fate.status, { message: 'Try again' }, fate.status === 429 ? { 'Retry-After': '1' } : {});
  } else if (answer !== undefined) pass(response, answer);
}

const takes = (fate: Fate): boolean => fate.kind === 'answer' || ('takes' in fate && fate.takes);

/** Whether the answer went out is known when the response ends. */
function watchAnswer(response: ServerResponse, log: HandoffLog): void {
  let isTold = false;
  const tell = (did: 'answered' | 'lost') => {
    if (!isTold) log.did(did);
    isTold = true;
  };
  response.once('finish', () => tell('answered'));
  response.once('close', () => tell('lost'));
}

/** As it came, its `Host` too: signatures cover it. */
function forward(counterpart: Counterpart, { method, path, headers, body }: Taken): Promise<Upstream> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(upstreamMsMax);
    const sent = request(counterpart.url + path, { method, headers: { ...headers, connection: 'close' }, signal });
    sent.on('error', reject);
    sent.on('response', (response) => {
      void text(response).then((answer) => resolve({ status: response.statusCode ?? 0, body: answer }), reject);
    });
    sent.end(body);
  });
}

const pass = (response: ServerResponse, { status, body }: Upstream): void =>
  void response.writeHead(status, { 'Content-Type': 'application/json' }).end(body);
