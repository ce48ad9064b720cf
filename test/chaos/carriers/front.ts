/**
 * The HTTP front of a carrier. Behind it is the counterpart with the carrier's protocol. The front adds latency and faults, like a real
 * carrier. Each request for a message is in the history with its result.
 */
import { request, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Counterpart, drop, reply, startCounterpart, type Taken } from '../../support/carriers/counterpart.js';
import type { HistoryWriter } from '../history.js';
import { type CarrierName, type HandoffLog, logHandoff } from './carrier-log.js';
import { type Behaviour, takes } from './behaviour.js';

/** What the front must know about a carrier's protocol. */
export interface Protocol {
  name: CarrierName;
  /** The message of a request, with its account if the carrier has several; null if the request is for something else. That is forwarded unchanged. */
  read(request: Taken): { token: string; to: string; account?: string } | null;
  /** The carrier's id of the message, in the answer of the counterpart. */
  idIn(answer: unknown): string;
  /** Answers that this message will never be sent. */
  refuse(response: ServerResponse): void;
}

export interface FrontHooks {
  history: HistoryWriter;
  behaviour: Behaviour;
  /** A message was taken, so the carrier will report on it. */
  onTaken(providerId: string, message: { token: string; to: string }): void;
}

/** The counterpart's answer. */
interface Upstream {
  status: number;
  body: string;
}

const upstreamMsMax = 10_000;

/** Starts the front on a free port of 127.0.0.1. */
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
    void serve(hooks.behaviour, protocol, { take, log, response }).catch(() => drop(response));
  });
}

interface Served {
  /** Passes the request to the counterpart, which takes the message. */
  take(): Promise<Upstream>;
  log: HandoffLog;
  response: ServerResponse;
}

async function serve(behaviour: Behaviour, protocol: Protocol, { take, log, response }: Served): Promise<void> {
  const reaction = behaviour.reaction();
  const { before, after } = behaviour.latency();
  await sleep(before);
  const answer = takes(reaction) ? await take() : undefined;
  if (reaction.kind === 'refuse') log.did('refused');
  if (reaction.kind === 'busy' && !reaction.takes) log.did('busy');
  if (reaction.kind === 'busy' && reaction.status >= 500) log.did('unclear');
  if (answer !== undefined && answer.status >= 300) log.did('refused');
  await sleep(after);
  if (reaction.kind === 'silence') return void (reaction.cuts && drop(response));
  if (reaction.kind === 'refuse') return protocol.refuse(response);
  if (reaction.kind === 'busy') {
    reply(response, reaction.status, { message: 'Try again' }, reaction.status === 429 ? { 'Retry-After': '1' } : {});
  } else if (answer !== undefined) pass(response, answer);
}

/** Only the end of the response shows whether the answer was sent. */
function watchAnswer(response: ServerResponse, log: HandoffLog): void {
  let isTold = false;
  const tell = (did: 'answered' | 'lost') => {
    if (!isTold) log.did(did);
    isTold = true;
  };
  response.once('finish', () => tell('answered'));
  response.once('close', () => tell('lost'));
}

/** Forwards the request unchanged, with its `Host`, because signatures cover it. */
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
