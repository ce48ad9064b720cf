/**
 * A minimal HTTP client over persistent connections. A flood shares the machine with the service under test, and Node's own client needs more
 * CPU per send than the service needs to reject one.
 */
import { connect, type Socket } from 'node:net';
import { type Answer, bodyOf, type Sender } from './sender.js';

/** A connection and the request that waits for its response. */
interface Line {
  socket: Socket;
  received: string;
  settle: ((answer: Answer | Error) => void) | undefined;
}

const headEnd = '\r\n\r\n';

/** Creates a sender with one connection per concurrent send. */
export function createLeanSender(baseUrl: string, apiKey: string): Pick<Sender, 'post' | 'call'> {
  const { hostname, port } = new URL(baseUrl);
  const idle: Line[] = [];

  const exchange = (method: string, path: string, body = ''): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const line = idle.pop() ?? openLine(connect(Number(port), hostname), idle);
      line.settle = (answer) => {
        line.settle = undefined;
        if (answer instanceof Error) reject(answer);
        else resolve(answer);
      };
      line.socket.write(requestOf(method, path, body));
    });
  const requestOf = (method: string, path: string, body: string) =>
    `${method} /api/v1${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nX-API-Key: ${apiKey}\r\n` +
    (body === '' ? '\r\n' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}${headEnd}${body}`);

  return {
    post: (number) => exchange('POST', '/messages/send', bodyOf(number)),
    call: (method, path) => exchange(method, path),
  };
}

/** @param idle gets the line after each response, and loses it when the connection closes */
function openLine(socket: Socket, idle: Line[]): Line {
  const line: Line = { socket, received: '', settle: undefined };
  socket.setNoDelay(true);
  socket.setEncoding('latin1');
  socket.on('data', (text: string) => {
    line.received += text;
    const answer = answerIn(line.received);
    if (answer === undefined) return;
    line.received = '';
    idle.push(line);
    line.settle?.(answer);
  });
  socket.on('error', () => undefined); // the `close` event handles it
  socket.on('close', () => {
    if (idle.includes(line)) idle.splice(idle.indexOf(line), 1);
    line.settle?.(new Error('the connection broke off'));
  });
  return line;
}

/** The response, when it is complete. Responses of the API have a Content-Length. */
function answerIn(received: string): Answer | undefined {
  const end = received.indexOf(headEnd);
  if (end === -1) return undefined;
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(received.slice(0, end))?.[1]);
  const body = received.slice(end + headEnd.length);
  return body.length < length ? undefined : { status: Number(received.slice(9, 12)), body };
}
