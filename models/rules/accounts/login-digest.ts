/** E-mail and client addresses as they are kept beside logins: keyed hashes, which tell nobody who tried to log in. */
import { createHmac } from 'node:crypto';

/** Of the address that is logged in with, known or not. @param client only tries from this client address */
export const digestOfEmail = (secretKey: string, email: string, client?: Buffer): Buffer =>
  createHmac('sha256', secretKey)
    .update('login-email:')
    .update(email.toLowerCase())
    .update(client === undefined ? '' : Buffer.concat([Buffer.from(' from '), client]))
    .digest();

/** Of the network that a client comes from. */
export const digestOfClient = (secretKey: string, network: string): Buffer =>
  createHmac('sha256', secretKey).update('login-client:').update(network).digest();
