/** When the certificate of a server ends. */
import { isIP } from 'node:net';
import { connect } from 'node:tls';

const connectMsMax = 5_000;

/**
 * Asks the server of this https: address for its certificate.
 * @param mustVerify a certificate that clients would not accept is an error. Without it, the end of an expired certificate is returned too
 * @throws Error if the server cannot be reached
 */
export function certificateExpiry({ hostname, port }: URL, { mustVerify }: { mustVerify: boolean }): Promise<Date> {
  const host = hostname.replaceAll(/[[\]]/g, '');
  const servername = isIP(host) === 0 ? { servername: host } : {};
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(port || 443), ...servername, rejectUnauthorized: mustVerify }, () => {
      const until = new Date(socket.getPeerCertificate().valid_to);
      socket.destroy();
      resolve(until);
    });
    socket.setTimeout(connectMsMax, () => socket.destroy(new Error(`${host} did not answer within ${connectMsMax / 1000} s`)));
    socket.once('error', reject);
  });
}
