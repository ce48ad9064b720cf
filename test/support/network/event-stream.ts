/** A client of server-sent events, as the HTML Standard describes it. */
import { type IncomingMessage, request } from 'node:http';
import { once } from 'node:events';

export interface SentEvent {
  id: string;
  type: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into it freely
  data: any;
  /** `data` as it came. */
  text: string;
  receivedAt: number;
}

export interface EventStream {
  status: number;
  headers: IncomingMessage['headers'];
  events: SentEvent[];
  /** What a client sends when it connects again. */
  lastEventId: string;
  retryMs: number | null;
  /** The server ended the stream, or the connection broke. */
  isOver: boolean;
  /** Stops reading, as a client that hangs does. */
  pause(): void;
  resume(): void;
  /** Ends the connection. */
  close(): void;
}

/** Opens a stream. Resolves when the head of the response is there. */
export async function openEventStream(url: string, headers: Record<string, string>): Promise<EventStream> {
  const asked = request(url, { headers, agent: false }).end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  const stream: EventStream = {
    status: response.statusCode ?? 0,
    headers: response.headers,
    events: [],
    lastEventId: headers['Last-Event-ID'] ?? '',
    retryMs: null,
    isOver: false,
    pause: () => void response.pause(),
    resume: () => void response.resume(),
    close: () => void asked.destroy(),
  };
  let rest = '';
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? ''; // a block that is not complete does not count
    for (const block of blocks) readBlock(stream, block);
  });
  response.on('close', () => (stream.isOver = true));
  response.on('error', () => undefined);
  asked.on('error', () => undefined);
  return stream;
}

function readBlock(stream: EventStream, block: string): void {
  let type = 'message';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const [, name, value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
    if (name === 'id') stream.lastEventId = value;
    else if (name === 'event') type = value;
    else if (name === 'data') data.push(value);
    else if (name === 'retry') stream.retryMs = Number(value);
  }
  if (data.length === 0) return;
  const text = data.join('\n');
  stream.events.push({ id: stream.lastEventId, type, text, data: JSON.parse(text), receivedAt: Date.now() });
}
