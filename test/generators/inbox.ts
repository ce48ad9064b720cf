/** Receives webhooks for programs in any language, and hands each one out exactly as it arrived. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Cleanup } from '../../harness/stage/cleanup.js';
import { tlsPaths } from '../../local/tls/local-tls.js';
import { startReceiver } from '../support/network/receiver.js';

export interface Inbox {
  /** The address for the webhook. */
  hookUrl: string;
  /** `GET <url>/<message id>` answers with body and headers of the event of this message when it has arrived. */
  url: string;
}

const shownHeaders = ['content-type', 'x-service-event', 'x-service-signature', 'webhook-id', 'webhook-timestamp', 'webhook-signature'];

/** Starts an inbox. The certificate is the one that `npm start` made for 127.0.0.1 and that its worker trusts. */
export async function startInbox(dataDir: string, cleanup: Cleanup): Promise<Inbox> {
  const { cert, key } = tlsPaths(dataDir);
  const receiver = await startReceiver(undefined, { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') });
  cleanup.add(() => receiver.close());
  const server = createServer((request, response) => {
    const id = request.url?.slice(1) ?? '';
    void receiver
      .untilReceived(1, ({ body }) => (JSON.parse(body) as { data: { message_id?: string } }).data.message_id === id)
      .then(([received]) => {
        for (const name of shownHeaders) response.setHeader(name, received?.headers[name] ?? '');
        response.end(received?.body);
      })
      .catch((error: Error) => response.writeHead(504).end(error.message));
  });
  cleanup.add(() => {
    server.close();
    server.closeAllConnections();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { hookUrl: receiver.url, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
