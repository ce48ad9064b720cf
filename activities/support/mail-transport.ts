import { createTransport, type Transporter } from 'nodemailer';

const timeoutMs = 10_000;

/**
 * Whether a mail server is on this machine, so that passwords and tokens may travel to it without TLS. A name below `.localhost` is not enough:
 * it is looked up with DNS, whose answer may be another machine.
 */
export const isOnThisMachine = (hostname: string): boolean => ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);

/**
 * The connection to the server of account mails.
 * Requires TLS for servers on other machines, because mails contain tokens that open accounts. `?tls=optional` in the address turns this off,
 * for networks with their own encryption.
 */
export function mailTransport(url: string): Transporter {
  const options = new URL(url);
  const isOptional = options.searchParams.get('tls') === 'optional' || isOnThisMachine(options.hostname);
  options.searchParams.delete('tls');
  options.searchParams.set('requireTLS', String(options.protocol === 'smtp:' && !isOptional));
  options.searchParams.set('connectionTimeout', String(timeoutMs));
  options.searchParams.set('greetingTimeout', String(timeoutMs));
  options.searchParams.set('socketTimeout', String(timeoutMs));
  return createTransport(options.href);
}
