/** Reads server-sent events (HTML Standard, section Server-sent events). */

/** A block of the stream. Most have an event; some have only an id. */
export interface EventBlock {
  /** The last id that the stream gave; undefined before the first one. */
  id: string | undefined;
  type: string;
  /** Undefined for a block without data, which is no event. */
  data: string | undefined;
  retryMs: number | undefined;
}

const emptyBlock = (id: string | undefined): EventBlock => ({ id, type: 'message', data: undefined, retryMs: undefined });

/** The blocks in the lines of a stream. An incomplete block at the end does not count, as the standard demands. */
export async function* readBlocks(lines: AsyncIterable<string>): AsyncGenerator<EventBlock, void> {
  let block = emptyBlock(undefined);
  for await (const line of lines) {
    if (line === '') {
      yield block;
      block = emptyBlock(block.id);
    } else {
      addLine(block, line);
    }
  }
}

function addLine(block: EventBlock, line: string): void {
  const colon = line.indexOf(':');
  const name = colon < 0 ? line : line.slice(0, colon);
  const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
  if (name === 'id' && !value.includes('\0')) block.id = value;
  else if (name === 'event') block.type = value;
  else if (name === 'data') block.data = block.data === undefined ? value : `${block.data}\n${value}`;
  else if (name === 'retry' && /^\d+$/.test(value)) block.retryMs = Number(value);
}

/**
 * The complete lines of a body.
 * @param idleMs after this number of milliseconds without a byte the connection counts as broken: a network that drops everything gives no sign
 * @throws Error when the connection broke
 */
export async function* readLines(body: ReadableStream<Uint8Array>, idleMs: number): AsyncGenerator<string, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await withinIdle(reader.read(), idleMs);
      if (done) return;
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line;
    }
  } finally {
    reader.cancel().catch(() => undefined); // it is broken already
  }
}

/** The result of a read, if it ends within this time. @throws Error otherwise */
export function withinIdle<T>(reading: Promise<T>, idleMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const idle = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the stream is silent')), idleMs);
  });
  return Promise.race([reading, idle]).finally(() => clearTimeout(timer));
}
