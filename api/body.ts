/** Reads bodies: raw bytes first, JSON by our own hand, so that every fault has the contract's words. */
import express, { type Request, type Response } from 'express';
import { invalidJson } from '../models/errors.js';

/** 100 kB; bulk asks for more. */
const defaultBodyBytesMax = 100 * 1024;

/** Fields that hold whatever the sender likes. */
const freeForm: ReadonlySet<string> = new Set(['metadata', 'custom_fields']);

/** The bytes of the body, whatever its content type says. Rejects with the parser's error when there are too many. */
export function readBytes(req: Request, res: Response, bytesMax = defaultBodyBytesMax): Promise<Buffer> {
  const read = express.raw({ type: () => true, limit: bytesMax });
  return new Promise((resolve, reject) => {
    read(req, res, (error?: unknown) => {
      if (error !== undefined) reject(error as Error);
      else resolve(Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0));
    });
  });
}

/**
 * The object that the bytes are JSON of; no bytes are an empty object.
 * @throws AppError 400 for other encodings than UTF-8, for broken JSON, and for JSON that is no object
 */
export function parseObject(bytes: Buffer): object {
  if (bytes.length === 0) return {};
  let parsed: unknown;
  try {
    parsed = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw invalidJson();
  }
  if (!isObject(parsed)) throw invalidJson();
  // An own `__proto__` would become the prototype of every copy. It is an unknown field: dropped, except in what is free-form, which is refused.
  for (const [name, holder] of [['', parsed], ...Object.entries(parsed)] as const) {
    if (!freeForm.has(name) && isObject(holder)) Reflect.deleteProperty(holder, '__proto__');
  }
  return parsed;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value);
