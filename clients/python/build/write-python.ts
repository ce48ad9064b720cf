/**
 * Part of `npm run generate`: generates the types of the Python client from the OpenAPI document, and its synchronous half from the
 * asynchronous one. The files are in the repository, so that the package is built without Node; a test compares them.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { endpoints } from '../../../api/endpoints/index.js';
import { openapi } from '../../../api/openapi/openapi.js';
import { isEntryPoint } from '../../../models/process/is-entry-point.js';
import { pythonTypes } from './python-types.js';
import { syncCode } from './sync-code.js';

const root = resolve(import.meta.dirname, '../../../..');
const modules = join(root, 'clients/python/src/tidings_client');

/** The generated files: text by path. */
export function generatePython(): Map<string, string> {
  const files = new Map([[join(modules, 'types.py'), pythonTypes(openapi(endpoints))]]);
  for (const name of readdirSync(join(modules, '_async')).filter((each) => each.endsWith('.py'))) {
    files.set(join(modules, '_sync', name), syncCode(readFileSync(join(modules, '_async', name), 'utf8')));
  }
  return files;
}

if (isEntryPoint(import.meta.filename)) for (const [file, text] of generatePython()) writeFileSync(file, text);
