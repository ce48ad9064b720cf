/** The receivers of the webhooks: one that works, and one that answers with an error. */
import { readFileSync } from 'node:fs';
import type { Cleanup } from '../../harness/stage/cleanup.js';
import { tlsPaths } from '../../local/tls/local-tls.js';
import { type Answer, type Receiver, startReceiver } from '../support/network/receiver.js';

export interface Receivers {
  working: string;
  failing: string;
}

export const fails: Answer = (_received, response) => {
  response
    .writeHead(500, { 'Content-Type': 'application/json' })
    .end(JSON.stringify({ error: 'could not connect to the database: too many clients' }));
};

export async function startReceivers(dataDir: string, cleanup: Cleanup): Promise<Receivers> {
  const working = await startTrustedReceiver(dataDir, cleanup);
  const failing = await startTrustedReceiver(dataDir, cleanup, fails);
  return { working: working.url.replace('/hook', '/orders'), failing: failing.url.replace('/hook', '/crm') };
}

/** Its certificate is the one that `npm start` made for 127.0.0.1 and that its worker trusts. */
export async function startTrustedReceiver(dataDir: string, cleanup: Cleanup, answer?: Answer): Promise<Receiver> {
  const { cert, key } = tlsPaths(dataDir);
  const receiver = await startReceiver(answer, { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') });
  cleanup.add(() => receiver.close());
  return receiver;
}
