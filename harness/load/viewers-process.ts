/** A process that keeps streams of events open, and measures how late their events are. Its parent says which, and asks for the figures. */
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { type Percentiles, percentiles } from '../measure/pass.js';

/** The keys, and how many streams of each. */
export interface Streams {
  baseUrl: string;
  keys: readonly string[];
  streamsOfEach: number;
}

export interface ViewersFigures extends Percentiles {
  /** Events over all streams, and those that a stream had before. */
  events: number;
  repeated: number;
}

/** What the parent sends: first the streams, later that it wants the figures since the last ones. */
export type ViewersCommand = Streams | 'figures';

const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });
let delayMs: number[] = [];
let repeated = 0;

process.on('message', (command: ViewersCommand) => void follow(command));
process.on('disconnect', () => process.exit(0));

async function follow(command: ViewersCommand): Promise<void> {
  if (command === 'figures') {
    process.send?.({ ...percentiles(delayMs), events: delayMs.length, repeated } satisfies ViewersFigures);
    delayMs = [];
    return;
  }
  const keys = command.keys.flatMap((key) => Array.from({ length: command.streamsOfEach }, () => key));
  for (const key of keys) await open(`${command.baseUrl}/api/v1/stream`, key);
  process.send?.('open');
}

async function open(url: string, key: string): Promise<void> {
  const asked = request(url, { agent, headers: { 'X-API-Key': key } }).end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`a stream answered ${response.statusCode}`);
  const ids = new Set<string>();
  let rest = '';
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    const now = Date.now();
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) note(block, now, ids);
  });
}

const pattern = /"timestamp":"([^"]+)","data":\{"message_id":"([^"]+)".*?"status":"([^"]+)"/;

/** The time of an event is when its status was recorded, by the clock of the database on the same machine. */
function note(block: string, now: number, ids: Set<string>): void {
  const [, at, messageId, status] = pattern.exec(block) ?? [];
  if (at === undefined) return;
  delayMs.push(now - Date.parse(at));
  const id = `${messageId} ${status}`;
  if (ids.has(id)) repeated += 1;
  ids.add(id);
}
