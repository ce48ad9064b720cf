/** Streams that break again and again. */
import assert from 'node:assert/strict';
import { Tidings } from '../../../clients/typescript/client/index.js';

describe('a stream of the TypeScript client', () => {
  const { setTimeout: start } = globalThis;
  afterEach(() => {
    globalThis.setTimeout = start;
  });

  /** The pauses up to the end of a stream whose connections have these bodies. Nobody waits for them. */
  async function pausesBetween(...bodies: string[]): Promise<number[]> {
    const answers = bodies.map((body) => new Response(body, { headers: { 'Content-Type': 'text/event-stream' } }));
    const refused = Response.json({ success: false, code: 'unauthorized' }, { status: 401 });
    const fetch = async () => answers.shift() ?? refused;
    const stream = new Tidings({ apiKey: 'tidings_x', baseUrl: 'https://api.example.com', fetch }).stream();
    const pauses: number[] = [];
    const startAtOnce = (run: () => void, ms: number) => {
      if (ms > 10_000) return start(run, ms); // the limit of a silence
      pauses.push(ms);
      return start(run);
    };
    globalThis.setTimeout = startAtOnce as typeof setTimeout;
    const readAll = async () => {
      while (!(await stream.next()).done);
    };
    await assert.rejects(readAll, { status: 401 });
    return pauses;
  }

  it('a stream that breaks without an event is opened at growing intervals', async () => {
    const broken = 'id: 0.z\n\ndata: {not json\n\n';
    const event = 'id: 1.a\ndata: {"event":"message.sent","timestamp":"","data":{"message_id":"m"}}\n\n';
    const pauses = await pausesBetween(broken, broken, broken, broken, event + broken);
    const doubled = [500, 1_000, 2_000, 4_000, 500];
    assert.equal(pauses.length, doubled.length);
    for (const [index, longest] of doubled.entries()) {
      const pause = pauses[index] ?? 0;
      assert.ok(pause >= longest / 2 && pause <= longest, `pauses of ${pauses.join()} ms`);
    }
  });
});
