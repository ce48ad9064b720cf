/** A frontend of Temporal that permits no call to the operator service, as managed clusters do. */
import { once } from 'node:events';
import { connect, constants, createServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';

/** `google.rpc.Code` */
const permissionDenied = '7';

export interface TemporalFront {
  address: string;
  close(): void;
}

/** @param address of the server that answers all other calls */
export async function startTemporalFront(address: string): Promise<TemporalFront> {
  const server = connect(`http://${address}`);
  server.on('error', () => undefined); // its calls end with it
  const front = createServer();
  front.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    if (String(headers[':path']).startsWith('/temporal.api.operatorservice.')) refuse(stream);
    else passOn(stream, server.request(headers as IncomingHttpHeaders));
  });
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  return {
    address: `127.0.0.1:${(front.address() as AddressInfo).port}`,
    close: () => {
      front.close();
      server.close();
    },
  };
}

function refuse(stream: ServerHttp2Stream): void {
  const status = { 'grpc-status': permissionDenied, 'grpc-message': 'Request unauthorized.' };
  stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...status }, { endStream: true });
}

function passOn(stream: ServerHttp2Stream, call: ReturnType<ReturnType<typeof connect>['request']>): void {
  let trailers: IncomingHttpHeaders = {};
  call.on('error', () => stream.destroy());
  call.on('trailers', (received: IncomingHttpHeaders) => (trailers = received));
  stream.on('wantTrailers', () => stream.sendTrailers(trailers));
  call.on('response', (headers, flags) => {
    const isAll = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
    stream.respond(headers, isAll ? { endStream: true } : { waitForTrailers: true });
    if (!isAll) call.pipe(stream);
  });
  stream.pipe(call);
}
