/** A carrier with Twilio's protocol, in a child process of the bench. It accepts messages, and posts signed reports on command. */
import { createHmac, randomBytes } from 'node:crypto';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { type Percentiles, percentiles } from '../measure/pass.js';
import { timetable } from './timetable.js';

/** Commands of the parent process. The first message to it is the port. */
export type CarrierCommand =
  | ReportCommand
  /** Accept messages without a response, or respond again. */
  | { kind: 'hang'; hangs: boolean }
  /** Return the callback URLs of the accepted messages, which identify them. */
  | { kind: 'list' };

/** Report on all accepted messages at this rate, first `sent`, then `delivered`. */
interface ReportCommand {
  kind: 'report';
  perSecond: number;
  authToken: string;
}

/** The responses to the reports. The times exclude the first eight seconds, which are a warm-up. */
export interface Reported extends Percentiles {
  reports: number;
  /** Reports without a 200 response. */
  failed: number;
  seconds: number;
}

const accountSid = 'AC0123456789abcdef0123456789abcdef';
const warmUpSeconds = 8;
const taken: { sid: string; to: string; callbackUrl: string }[] = [];
let hangs = false;
const agent = new Agent({ keepAlive: true, maxFreeSockets: Number.POSITIVE_INFINITY });

async function take(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const form = new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
  const sid = `SM${randomBytes(16).toString('hex')}`;
  const [callbackUrl = ''] = (form.get('StatusCallback') ?? '').split('#'); // Twilio neither sends nor signs the fragment
  taken.push({ sid, to: form.get('To') ?? '', callbackUrl });
  if (hangs) return; // the caller runs into its timeout
  response.writeHead(201, { 'Content-Type': 'application/json' }).end(JSON.stringify({ sid, status: 'queued', to: form.get('To') }));
}

/** Reports every message as `sent`, then every message as `delivered`, in an order in which neighbours belong to different groups. */
async function reportAll({ perSecond, authToken }: ReportCommand): Promise<Reported> {
  const messages = taken.splice(0).toSorted((one, other) => (one.sid < other.sid ? -1 : 1));
  const reports = ['sent', 'delivered'].flatMap((status) => messages.map((message) => ({ ...message, status })));
  const times: number[] = [];
  let failed = 0;
  const open: Promise<void>[] = [];
  const startedAt = performance.now();
  for await (const { number } of timetable(reports.length / perSecond, perSecond)) {
    const report = reports[number];
    if (report === undefined) break; // rounding may exceed the number of reports
    const { sid, to, callbackUrl, status } = report;
    const fields = { AccountSid: accountSid, MessageSid: sid, MessageStatus: status, To: to };
    const sentAt = performance.now();
    const isWarm = number >= warmUpSeconds * perSecond;
    const answered = post(callbackUrl, fields, authToken).then((answer) => {
      if (answer !== 200) failed += 1;
      else if (isWarm) times.push(performance.now() - sentAt);
    });
    open.push(answered);
  }
  await Promise.all(open);
  const seconds = (performance.now() - startedAt) / 1000;
  return { ...percentiles(times), reports: reports.length, failed, seconds };
}

/** @returns the status of the response; 0: no response */
async function post(url: string, fields: Record<string, string>, authToken: string): Promise<number> {
  const signed = url + Object.entries(fields).flat().join(''); // the names are sorted already
  const body = new URLSearchParams(fields).toString();
  const headers = {
    'Content-Type': 'application/x-www-form-urlencoded',
    'Content-Length': Buffer.byteLength(body),
    'X-Twilio-Signature': createHmac('sha1', authToken).update(signed).digest('base64'),
  };
  try {
    const sent = request(url, { method: 'POST', agent, headers }).end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    await once(response, 'end');
    return response.statusCode ?? 0;
  } catch {
    return 0;
  }
}

const server = createServer((incoming, response) => void take(incoming, response));
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('message', (command: CarrierCommand) => {
  if (command.kind === 'hang') hangs = command.hangs;
  else if (command.kind === 'list') process.send?.(taken.map(({ callbackUrl }) => callbackUrl));
  else void reportAll(command).then((reported) => process.send?.(reported));
});
process.on('disconnect', () => process.exit(0));
