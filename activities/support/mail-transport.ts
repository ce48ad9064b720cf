import { isIP } from 'node:net';
import { createTransport, type Transporter } from 'nodemailer';
import { domainOf } from '../../models/rules/values/email.js';

const timeoutMs = 10_000;

/**
 * Whether a server is on this machine, so that passwords, keys and tokens may travel to it without TLS. A name below `.localhost` is not enough:
 * it is looked up with DNS, whose answer may be another machine.
 */
export const isOnThisMachine = (hostname: string): boolean => ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);

/** Servers refuse a client that names itself `[127.0.0.1]`, as nodemailer does on a host whose name has no dot (Gmail's relay). */
function ownName({ from, publicUrl }: { from: string; publicUrl: string }): string {
  const { hostname } = new URL(publicUrl);
  return isIP(hostname) === 0 && /^[^.[]+(?:\.[^.]+)+$/.test(hostname) ? hostname : domainOf(from);
}

/**
 * The options of a connection to a mail server. `?tls=optional` or `?requireTLS=false` in the address makes TLS optional, for networks with their
 * own encryption. Where it is optional, it is used without a look at the certificate (RFC 7435), because the alternative is no TLS at all.
 * Further options of nodemailer in the query of the address take precedence.
 * @param needsTls whether a server on another machine must offer TLS
 */
export function connectionTo(url: string, sender: { from: string; publicUrl: string }, { needsTls }: { needsTls: boolean }) {
  const address = new URL(url);
  const { hostname, protocol, searchParams } = address;
  const required = searchParams.get('requireTLS');
  const isRefused = required === 'false' || required === '0';
  const isRequired = required !== null && !isRefused;
  const isOptional =
    !isRequired && (searchParams.get('tls') === 'optional' || isRefused || isOnThisMachine(hostname)) && protocol === 'smtp:';
  searchParams.delete('tls');
  // Nodemailer takes the word without a value as false.
  searchParams.delete('requireTLS');
  return {
    url: address.href,
    name: ownName(sender),
    requireTLS: protocol === 'smtp:' && (isRequired || (needsTls && !isOptional)),
    opportunisticTLS: isOptional,
    tls: { minVersion: 'TLSv1.2', rejectUnauthorized: !isOptional },
  } as const;
}

/** The connection to the server of account mails. They contain tokens that open accounts. */
export function mailTransport(url: string, { mailFrom: from, publicUrl }: { mailFrom: string; publicUrl: string }): Transporter {
  const connection = connectionTo(url, { from, publicUrl }, { needsTls: true });
  return createTransport({ ...connection, connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs });
}
