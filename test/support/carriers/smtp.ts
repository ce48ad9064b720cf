/** A mail server on a free port of this machine. */
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface MailServer {
  /** With the log-in, where there is one. */
  url: string;
  /** Mails that were taken, as they came. */
  received: string[];
  /** Replies to the next senders, recipients and mails, such as `550 5.1.1 no such user`; where there is none it is taken. */
  refuse: { from: string[]; to: string[]; mail: string[] };
  /** Called when a mail has come whole, before it is answered. */
  onMail: (mail: string) => void | Promise<void>;
  /** Number of connections. */
  connections: number;
  /** Breaks all connections, without a word. */
  hangUp(): void;
  close(): Promise<void>;
}

const login = { user: 'user', password: 'password of the tests' };

type Reply = (error?: Error | null) => void;

/** Answers with the next of the replies. */
function answer(replies: string[], callback: Reply): void {
  const reply = replies.shift();
  if (reply === undefined) callback(null);
  else callback(Object.assign(new Error(reply.slice(4)), { responseCode: Number(reply.slice(0, 3)) }));
}

/** @param options further options of the server; with `authOptional: false` it wants a log-in */
export async function startSmtp(options: SMTPServerOptions = {}, host = '127.0.0.1'): Promise<MailServer> {
  const sockets = new Set<Socket>();
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, callback) =>
      username === login.user && password === login.password ? callback(null, { user: username }) : callback(new Error('no')),
    onMailFrom: (_address, _session, callback) => answer(mailServer.refuse.from, callback),
    onRcptTo: (_address, _session, callback) => answer(mailServer.refuse.to, callback),
    onData: (stream, _session, callback) => void take(stream, callback),
    ...options,
  });
  const take = async (stream: NodeJS.ReadableStream, callback: Reply) => {
    const mail = await text(stream);
    await mailServer.onMail(mail);
    if (mailServer.refuse.mail.length === 0) mailServer.received.push(mail);
    answer(mailServer.refuse.mail, callback);
  };
  server.on('error', () => undefined); // a client that hangs up is one
  server.server.on('connection', (socket: Socket) => {
    mailServer.connections += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.server.address() as AddressInfo;
  const credentials = options.authOptional === false ? `${login.user}:${encodeURIComponent(login.password)}@` : '';
  const hangUp = () => {
    for (const socket of sockets) socket.destroy();
  };
  const mailServer: MailServer = {
    url: `smtp://${credentials}${host}:${port}`,
    received: [],
    refuse: { from: [], to: [], mail: [] },
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
