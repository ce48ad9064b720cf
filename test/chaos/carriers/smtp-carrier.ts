/** An SMTP server as a carrier. It has latency and loses answers like the HTTP carriers. It sends no reports. */
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SMTPServerSession } from 'smtp-server';
import { startSmtp } from '../../support/carriers/smtp.js';
import { tokenIn } from '../history.js';
import { type HandoffLog, logHandoff } from './carrier-log.js';
import { type Behaviour, takes } from './behaviour.js';
import type { CarrierDeps, Opened } from './carrier.js';

type Reply = (error?: Error | null) => void;

const name = { carrier: 'smtp', account: 'smtp', channel: 'email' } as const;

export async function openSmtp(deps: CarrierDeps): Promise<Opened> {
  const gone = new Set<string>();
  const server = await startSmtp({
    onClose: ({ id }) => void gone.add(id),
    onData: (stream, session, callback) => {
      const take = (mail: string) => {
        const log = logHandoff(deps.history, name, { token: tokenIn(mail) ?? '', to: recipientOf(session) });
        return serve(deps.behaviour, mail, { log, callback, isGone: () => gone.has(session.id) });
      };
      void text(stream).then(take, () => undefined); // the client may disconnect within its mail
    },
  });
  return {
    behaviour: deps.behaviour,
    address: new URL(server.url).host,
    settings: (address) => ({ EMAIL_SMTP_URL: `smtp://${address}` }),
    close: () => server.close(),
  };
}

interface Request {
  log: HandoffLog;
  callback: Reply;
  /** The caller has disconnected. */
  isGone(): boolean;
}

/** Takes or refuses a complete mail. A hanging server never calls back, and the caller disconnects by itself. */
async function serve(behaviour: Behaviour, mail: string, { log, callback, isGone }: Request): Promise<void> {
  const reaction = behaviour.reaction();
  const { before, after } = behaviour.latency();
  await sleep(before);
  // 451 says for certain that the mail was not taken. HTTP has 500 for what is not certain, SMTP has nothing like it.
  if (takes(reaction) && reaction.kind !== 'busy') log.did('took', /^Message-ID:\s*(\S+)/im.exec(mail)?.[1]);
  if (reaction.kind === 'refuse') log.did('refused');
  if (reaction.kind === 'busy') log.did('busy');
  await sleep(after);
  if (reaction.kind === 'silence' || isGone()) return log.did('lost');
  log.did('answered'); // passed to the server's library, which writes it at once
  if (reaction.kind === 'refuse') callback(replyOf(550, '5.1.1 no such user'));
  else if (reaction.kind === 'busy') callback(replyOf(451, '4.3.2 try again later'));
  else callback(null);
}

const replyOf = (responseCode: number, words: string) => Object.assign(new Error(words), { responseCode });

const recipientOf = ({ envelope }: SMTPServerSession) => envelope.rcptTo[0]?.address ?? '';
