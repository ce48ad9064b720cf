/**
 * Part of `npm run generate`: generates the types of the TypeScript client and of the console from the OpenAPI document. The files are in the
 * repository, so that both compile without the service; tests compare them with the document.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { endpoints } from '../../../api/endpoints/index.js';
import { openapi } from '../../../api/openapi/openapi.js';
import { isEntryPoint } from '../../../models/process/is-entry-point.js';
import { isClientPath, isConsolePath, reduceDocument } from './reduce-document.js';

const root = resolve(import.meta.dirname, '../../../..');
/** It needs TypeScript 5, so it is installed apart from the compiler of the project. */
const generator = join(root, 'test/client/node_modules/openapi-typescript/bin/cli.js');

/** The generated files, each with the paths whose operations it has. */
export const typesFiles = [
  { file: join(root, 'clients/typescript/client/api.ts'), isKept: isClientPath },
  { file: join(root, 'console/api/schema.ts'), isKept: isConsolePath },
] as const;

/** Generates the types of the operations at these paths. @returns the text of the file @throws if the generator is not installed */
export function generateTypes(isKept: (path: string) => boolean): string {
  if (!existsSync(generator)) throw new Error('openapi-typescript is missing in test/client/node_modules: run npm ci');
  const folder = mkdtempSync(join(tmpdir(), 'tidings-types-'));
  try {
    const document = join(folder, 'openapi.json');
    writeFileSync(document, JSON.stringify(reduceDocument(openapi(endpoints), isKept)));
    return execFileSync(process.execPath, [generator, document], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
      maxBuffer: 1e8,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (isEntryPoint(import.meta.filename)) for (const { file, isKept } of typesFiles) writeFileSync(file, generateTypes(isKept));
