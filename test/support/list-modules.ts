/** Preloaded into a process (`NODE_OPTIONS=--import`): when a thread of it ends, writes which packages of OpenTelemetry it had loaded to MODULES_FILE. */
import { appendFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const { cache } = createRequire(import.meta.url);
process.once('exit', () => {
  const packages = Object.keys(cache).flatMap((file) => /@opentelemetry\/[^/]+/.exec(file)?.[0] ?? []);
  appendFileSync(process.env.MODULES_FILE as string, `${JSON.stringify([...new Set(packages)])}\n`);
});
