/**
 * `npm run client:types`: generates the types of the TypeScript client from the OpenAPI document. The file is in the repository, so that the
 * client compiles without the service; a test compares it with the document.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { endpoints } from '../../../api/endpoints/index.js';
import { openapi } from '../../../api/openapi/openapi.js';
import { reduceDocument } from './reduce-document.js';

const root = resolve(import.meta.dirname, '../../../..');
/** It needs TypeScript 5, so it is installed apart from the compiler of the project. */
const generator = join(root, 'test/client/node_modules/openapi-typescript/bin/cli.js');

/** The generated file. */
export const typesFile = join(root, 'clients/typescript/client/api.ts');

/** Generates the types. @returns the text of the file */
export function generateTypes(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tidings-types-'));
  try {
    const document = join(folder, 'openapi.json');
    writeFileSync(document, JSON.stringify(reduceDocument(openapi(endpoints))));
    return execFileSync(process.execPath, [generator, document], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1e8 });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === import.meta.filename) writeFileSync(typesFile, generateTypes());
