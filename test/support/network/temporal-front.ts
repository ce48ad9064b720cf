/** A frontend of Temporal that permits no call to the operator service, as managed clusters do, or that loses its namespace. */
import { once } from 'node:events';
import { connect, constants, createServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { grpcStatus } from '../../../models/network/grpc-status.js';

export interface TemporalFront {
  address: string;
  /**
   * From now on there is no namespace. The worker of the SDK repeats a poll without one for a minute before it gives up. It gives up at once after a
   * response that is too large. So polls for activities get this error, and all other calls what a server says without the namespace.
   */
  loseNamespace(): void;
  regainNamespace(): void;
  close(): void;
}

interface Refusal {
  /** `google.rpc.Code` */
  code: number;
  text: string;
}

const unauthorized = { code: grpcStatus.permissionDenied, text: 'Request unauthorized.' };
const notFound = { code: grpcStatus.notFound, text: 'Namespace is not found.' };
const tooLarge = { code: 8, text: 'grpc: received message larger than max' };
const operatorService = '/temporal.api.operatorservice.v1.OperatorService/';
const workflowService = '/temporal.api.workflowservice.v1.WorkflowService/';

/**
 * @param address of the server that answers all other calls
 * @param permitsOperators whether it permits calls to the operator service
 */
export async function startTemporalFront(address: string, permitsOperators = false): Promise<TemporalFront> {
  const server = connect(`http://${address}`);
  server.on('error', () => undefined); // its calls end with it
  const front = createServer();
  const open = new Map<ServerHttp2Stream, string>();
  let isLost = false;
  front.on('stream', (stream, headers) => {
    const path = String(headers[':path']);
    stream.on('error', () => undefined);
    const refusal = permitsOperators || !path.startsWith(operatorService) ? refusalOf(path, isLost) : unauthorized;
    if (refusal !== undefined) return refuse(stream, refusal);
    open.set(stream, path);
    stream.on('close', () => open.delete(stream));
    passOn(stream, server.request(headers as IncomingHttpHeaders));
  });
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  return {
    address: `127.0.0.1:${(front.address() as AddressInfo).port}`,
    loseNamespace: () => {
      isLost = true;
      for (const [stream, path] of open) refuse(stream, refusalOf(path, isLost));
    },
    regainNamespace: () => {
      isLost = false;
    },
    close: () => {
      front.close();
      server.close();
    },
  };
}

function refusalOf(path: string, isLost: boolean): Refusal | undefined {
  if (!isLost || !path.startsWith(workflowService) || path.endsWith('/GetSystemInfo')) return undefined;
  return path.endsWith('/PollActivityTaskQueue') ? tooLarge : notFound;
}

function refuse(stream: ServerHttp2Stream, { code, text }: Refusal = notFound): void {
  if (stream.headersSent || stream.destroyed) return;
  const status = { 'grpc-status': String(code), 'grpc-message': text };
  stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...status }, { endStream: true });
}

/** A call that the front has answered itself, or that its caller has ended, ends at the server too: a poll would take a task there. */
function passOn(stream: ServerHttp2Stream, call: ReturnType<ReturnType<typeof connect>['request']>): void {
  let trailers: IncomingHttpHeaders = {};
  stream.on('close', () => call.close(constants.NGHTTP2_CANCEL));
  call.on('error', () => stream.destroy());
  call.on('trailers', (received: IncomingHttpHeaders) => (trailers = received));
  stream.on('wantTrailers', () => stream.sendTrailers(trailers));
  call.on('response', (headers, flags) => {
    if (stream.headersSent || stream.destroyed) return;
    const isAll = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
    stream.respond(headers, isAll ? { endStream: true } : { waitForTrailers: true });
    if (!isAll) call.pipe(stream);
  });
  stream.pipe(call);
}
