/** A mail server on a free port of this machine. */
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface MailServer {
  /** The URL, with user and password if the server needs a login. */
  url: string;
  /** The accepted e-mails. */
  received: string[];
  /** Error replies to the next senders, recipients and e-mails, such as `550 5.1.1 no such user`. Without a reply they are accepted. */
  refuse: { from: string[]; to: string[]; mail: string[] };
  /** Called for each connection, before the greeting. */
  onConnect: () => void | Promise<void>;
  /** Called when an e-mail is complete, before the reply. */
  onMail: (mail: string) => void | Promise<void>;
  /** The number of connections so far. */
  connections: number;
  /** Closes all connections without a reply. */
  hangUp(): void;
  close(): Promise<void>;
}

const login = { user: 'user', password: 'password of the tests' };

type Reply = (error?: Error | null) => void;

/** Sends the next of the replies. */
function answer(replies: string[], callback: Reply): void {
  const reply = replies.shift();
  if (reply === undefined) callback(null);
  else callback(Object.assign(new Error(reply.slice(4)), { responseCode: Number(reply.slice(0, 3)) }));
}

async function take(mailServer: MailServer, stream: NodeJS.ReadableStream, callback: Reply): Promise<void> {
  const mail = await text(stream).catch(() => undefined);
  if (mail === undefined) return; // the client has disconnected within its mail
  await mailServer.onMail(mail);
  if (mailServer.refuse.mail.length === 0) mailServer.received.push(mail);
  answer(mailServer.refuse.mail, callback);
}

/** @param options further options of the server; with `authOptional: false` it requires a login */
export async function startSmtp(options: SMTPServerOptions = {}, host = '127.0.0.1'): Promise<MailServer> {
  const sockets = new Set<Socket>();
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, callback) =>
      username === login.user && password === login.password ? callback(null, { user: username }) : callback(new Error('no')),
    onConnect: (_session, callback) => void Promise.resolve(mailServer.onConnect()).then(() => callback(null)),
    onMailFrom: (_address, _session, callback) => answer(mailServer.refuse.from, callback),
    onRcptTo: (_address, _session, callback) => answer(mailServer.refuse.to, callback),
    onData: (stream, _session, callback) => void take(mailServer, stream, callback),
    ...options,
  });
  server.on('error', () => undefined); // a client that disconnects early causes an error
  server.server.on('connection', (socket: Socket) => {
    mailServer.connections += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.server.address() as AddressInfo;
  const credentials = options.authOptional === false ? `${login.user}:${encodeURIComponent(login.password)}@` : '';
  const hangUp = () => sockets.forEach((socket) => socket.destroy());
  const mailServer: MailServer = {
    url: `smtp://${credentials}${host}:${port}`,
    received: [],
    refuse: { from: [], to: [], mail: [] },
    onConnect: () => undefined,
    onMail: () => undefined,
    connections: 0,
    hangUp,
    close: () => {
      hangUp();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  return mailServer;
}
