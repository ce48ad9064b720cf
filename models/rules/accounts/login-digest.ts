/** Keyed hashes of e-mail addresses and networks. Login data contain only these, so that they reveal nobody who tried to log in. */
import { createHmac } from 'node:crypto';

/** The digest of the address of a login, known or not. @param client counts only the attempts of this client */
export const digestOfEmail = (secretKey: string, email: string, client?: Buffer): Buffer =>
  createHmac('sha256', secretKey)
    .update('login-email:')
    .update(email.toLowerCase())
    .update(client === undefined ? '' : Buffer.concat([Buffer.from(' from '), client]))
    .digest();

/** The digest of the network of a client. */
export const digestOfClient = (secretKey: string, network: string): Buffer =>
  createHmac('sha256', secretKey).update('login-client:').update(network).digest();
