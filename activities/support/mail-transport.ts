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
  const address = new URL(url);
  const isOptional = address.searchParams.get('tls') === 'optional' || isOnThisMachine(address.hostname);
  address.searchParams.delete('tls');
  address.searchParams.set('requireTLS', String(address.protocol === 'smtp:' && !isOptional));
  address.searchParams.set('connectionTimeout', String(timeoutMs));
  address.searchParams.set('greetingTimeout', String(timeoutMs));
  address.searchParams.set('socketTimeout', String(timeoutMs));
  return createTransport(address.href);
}
