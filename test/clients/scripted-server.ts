/** A server that gives prepared answers, for what the service itself does not answer at will. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** `hang`: no answer. `cut`: the connection ends within the body. */
export type Scripted = { status: number; body?: unknown; headers?: Record<string, string> } | 'hang' | 'cut';

/** A refusal by the service. */
export const refused = (status: number, code: string, headers: Record<string, string> = {}): Scripted => ({
  status,
  headers,
  body: { success: false, error: 'No', code, message: 'No', request_id: 'req-1' },
});

export interface ScriptedServer {
  url: string;
  /** What is answered, in this order; the last one for all further requests. */
  answers: Scripted[];
  requests: { method: string; path: string; headers: IncomingHttpHeaders; body: string }[];
  close(): Promise<void>;
}

export async function startScriptedServer(): Promise<ScriptedServer> {
  const scripted: ScriptedServer = { url: '', answers: [], requests: [], close: async () => undefined };
  const server = createServer((request, response) => {
    const { method = '', url: path = '', headers } = request;
    void text(request).then((body) => {
      scripted.requests.push({ method, path, headers, body });
      reply(response);
    });
  });
  const reply = (response: ServerResponse) => {
    const answer = scripted.answers.length > 1 ? scripted.answers.shift() : scripted.answers[0];
    if (answer === undefined || answer === 'hang') return;
    if (answer === 'cut') {
      response.writeHead(200, { 'Content-Length': 1000 }).write('{"success": tr');
      return void setImmediate(() => response.destroy());
    }
    const { status, body = '', headers: more } = answer;
    response.writeHead(status, more).end(typeof body === 'string' ? body : JSON.stringify(body));
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  scripted.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  scripted.close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return scripted;
}
