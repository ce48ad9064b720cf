import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { readBody, refuseBody } from '../../../api/http/read-body.js';
import { MemoryBudget } from '../../../models/flow/memory-budget.js';
import { until } from '../../support/client.js';

const mebibyte = 1024 * 1024;
const limits = { maxBytes: 16 * mebibyte, maxBytesPerOwner: 16 * mebibyte, guaranteedBytesPerOwner: 0 };
const read = (req: IncomingMessage) => readBody(req, new MemoryBudget(limits).reservationFor('a'));

describe('a compressed body', () => {
  let server: Server;
  let outgoing: ReturnType<typeof request>;
  beforeEach(async () => {
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    outgoing.destroy();
    server.closeAllConnections();
    server.close();
  });

  /** Sends the head and the bytes, then the rest if there is one. Otherwise the request stays open. Returns it and the decoder that is chosen. */
  const arrivalOf = async (encoding: string, bytes: Buffer, rest?: Buffer): Promise<{ req: IncomingMessage; decoder: () => Duplex }> => {
    const { port } = server.address() as AddressInfo;
    outgoing = request({ port, method: 'POST', headers: { 'Content-Encoding': encoding, 'Transfer-Encoding': 'chunked' } });
    outgoing.on('error', () => undefined);
    outgoing.write(bytes);
    if (rest !== undefined) outgoing.end(rest);
    const [req] = (await once(server, 'request')) as [IncomingMessage];
    let chosen: unknown;
    const pipe = req.pipe.bind(req);
    req.pipe = (target, options) => {
      chosen = target;
      return pipe(target, options);
    };
    return { req, decoder: () => chosen as Duplex };
  };

  const zeros = Buffer.alloc(mebibyte);
  for (const [encoding, encode] of Object.entries({ gzip: gzipSync, deflate: deflateSync })) {
    it(`413 ends the decoder of ${encoding}, which inflates nothing more`, async () => {
      const { req, decoder } = await arrivalOf(encoding, encode(zeros));
      let inflated = 0;
      const reading = read(req);
      decoder().on('data', (chunk: Buffer) => (inflated += chunk.length));
      await assert.rejects(reading, { code: 'payload_too_large' });
      assert.equal(decoder().destroyed, true);
      if (!decoder().closed) await once(decoder(), 'close');
      assert.ok(inflated <= 200 * 1024, `${inflated} bytes`);
    });
  }

  it('a refusal of the request ends the decoder, and the body is an error when the connection is closed', async () => {
    const { req, decoder } = await arrivalOf('gzip', gzipSync(zeros));
    const reading = read(req);
    refuseBody(req);
    if (!decoder().closed) await once(decoder(), 'close');
    outgoing.destroy();
    await assert.rejects(reading, { code: 'validation_failed' });
  });

  it('503 of the memory budget ends the decoder', async () => {
    const { req, decoder } = await arrivalOf('gzip', gzipSync(zeros));
    const memory = new MemoryBudget({ ...limits, maxBytesPerOwner: 100 * 1024 }).reservationFor('a');
    await assert.rejects(readBody(req, memory), { code: 'unavailable' });
    assert.equal(decoder().destroyed, true);
  });

  it('400 without a decoder for br, whose decoder would take 16 MB for a body of 14 bytes', async () => {
    const { req, decoder } = await arrivalOf('br', brotliCompressSync('{}'));
    await assert.rejects(read(req), { code: 'validation_failed' });
    assert.equal(decoder(), undefined);
  });

  it('503 without a decoder when the memory budget has no room for one', async () => {
    const { req, decoder } = await arrivalOf('gzip', gzipSync('{}'));
    const memory = new MemoryBudget({ ...limits, maxBytesPerOwner: 32 * 1024 }).reservationFor('a');
    await assert.rejects(readBody(req, memory), { code: 'unavailable' });
    assert.equal(decoder(), undefined);
  });

  it('a client that disconnects ends the decoder', async () => {
    const { req, decoder } = await arrivalOf('gzip', gzipSync(Buffer.alloc(1024)).subarray(0, 12));
    const reading = read(req);
    outgoing.destroy();
    await assert.rejects(reading, { code: 'validation_failed' });
    assert.equal(decoder().destroyed, true);
  });

  it('400 without a wait for the body of a client that has disconnected', async () => {
    const { req } = await arrivalOf('identity', Buffer.from('{}'));
    const closed = once(req, 'close');
    outgoing.destroy();
    await closed.catch(() => undefined);
    await assert.rejects(read(req), { code: 'validation_failed' });
  });

  it('400 for a whole body whose client disconnects before the decoder has it', async () => {
    const { req, decoder } = await arrivalOf('gzip', gzipSync('{}'), Buffer.alloc(0));
    await until(() => req.complete, 'the body has arrived');
    const reading = read(req);
    req.pause(); // as a decoder that has enough for now
    req.destroy();
    await assert.rejects(reading, { code: 'validation_failed' });
    assert.equal(decoder().destroyed, true);
  });

  it('a whole body is decoded also if its client disconnects when the decoder has it', async () => {
    const { req } = await arrivalOf('gzip', gzipSync('{}'), Buffer.alloc(0));
    req.once('end', () => outgoing.destroy());
    assert.equal(String(await read(req)), '{}');
  });

  it('a broken body ends the decoder', async () => {
    const { req, decoder } = await arrivalOf('gzip', Buffer.from('no gzip at all'));
    await assert.rejects(read(req), { code: 'validation_failed' });
    assert.equal(decoder().destroyed, true);
  });
});
