/** Build step: writes the OpenAPI document beside itself, so that no process derives it at its start. */
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endpoints } from '../endpoints/index.js';
import { openapi } from './openapi.js';

const path = join(import.meta.dirname, 'document.json');
writeFileSync(`${path}.new`, JSON.stringify(openapi(endpoints)));
renameSync(`${path}.new`, path); // a service that runs from this folder never reads half a file
