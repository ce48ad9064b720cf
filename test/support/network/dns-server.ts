/** A DNS server on this machine. It resolves the given names, never answers names that begin with `slow`, and answers all others with NXDOMAIN. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export interface DnsServer {
  /** The address in the format of the setting. */
  address: string;
  /** The requested names, with duplicates. */
  asked: string[];
  close(): Promise<void>;
}

const typeA = 1;
const typeAaaa = 28;

/** @param names name → IPv4 address */
export async function startDnsServer(names: Readonly<Record<string, string>>): Promise<DnsServer> {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  socket.on('message', (query, from) => {
    const { name, type, end } = questionOf(query);
    if (type === typeA || type === typeAaaa) asked.push(name);
    if (name.startsWith('slow')) return;
    socket.send(answerTo(query.subarray(0, end), names[name], type), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    close: async () => {
      socket.close();
      await once(socket, 'close');
    },
  };
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function answerTo(question: Buffer, address: string | undefined, type: number): Buffer {
  const head = Buffer.from(question);
  const hasAnswer = address !== undefined && type === typeA;
  head.writeUInt16BE(address === undefined ? 0x8183 : 0x8180, 2); // NXDOMAIN, or success
  head.writeUInt16BE(hasAnswer ? 1 : 0, 6);
  head.writeUInt16BE(0, 8);
  head.writeUInt16BE(0, 10);
  if (!hasAnswer) return head;
  const record = Buffer.from([0xc0, 12, 0, typeA, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]);
  return Buffer.concat([head, record]);
}
