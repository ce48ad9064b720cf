/** Reads the bytes of bodies: no more than may be, counted while they come, and given up as soon as they are too many. */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { bodyTooLarge, invalidJson } from '../../models/errors.js';
import type { Held } from '../../models/flow/byte-room.js';

/** 100 kB; bulk asks for more. */
const defaultBytesMax = 100 * 1024;

/**
 * The bytes of the body, whatever its content type says. What is not read after a refusal is thrown away as it comes.
 * @param held counts what is kept
 * @throws AppError 413 when there are too many, 400 for an encoding that nobody knows, or what `held` throws
 */
export function readBytes(req: IncomingMessage, held: Held, bytesMax = defaultBytesMax): Promise<Buffer> {
  if (!hasBody(req)) return Promise.resolve(Buffer.alloc(0));
  return new Promise((resolve, reject) => {
    const { source, isEncoded } = sourceOf(req);
    const chunks: Buffer[] = [];
    let size = 0;
    const stop = (error: unknown) => {
      source.removeListener('data', keep);
      chunks.length = 0;
      if (isEncoded) req.unpipe();
      req.resume();
      reject(error);
    };
    const keep = (chunk: Buffer) => {
      size += chunk.length;
      if (size > bytesMax) return stop(bodyTooLarge());
      try {
        held.take(chunk.length);
      } catch (error) {
        return stop(error);
      }
      chunks.push(chunk);
    };
    if (!isEncoded && Number(req.headers['content-length']) > bytesMax) return stop(bodyTooLarge());
    source.on('data', keep);
    source.once('end', () => resolve(Buffer.concat(chunks)));
    source.once('error', () => stop(invalidJson()));
    req.once('close', () => void (req.complete || stop(invalidJson()))); // nobody reads the answer
  });
}

const hasBody = ({ headers }: IncomingMessage) => headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

const decoders: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

function sourceOf(req: IncomingMessage): { source: Readable; isEncoded: boolean } {
  const encoding = (req.headers['content-encoding'] ?? 'identity').toLowerCase();
  if (encoding === 'identity') return { source: req, isEncoded: false };
  const decoder = Object.hasOwn(decoders, encoding) ? decoders[encoding] : undefined;
  if (decoder === undefined) throw invalidJson();
  return { source: req.pipe(decoder()), isEncoded: true };
}
