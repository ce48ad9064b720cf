/** Keyed hashes of e-mail addresses and networks. Login data contain only these, so that they reveal nobody who tried to log in. */
import { createHmac } from 'node:crypto';

/** The digest of the address of a login, known or not. @param isAfterReset for the attempts of clients that have just reset the password */
export const digestOfEmail = (secretKey: string, email: string, isAfterReset = false): Buffer =>
  createHmac('sha256', secretKey)
    .update('login-email:')
    .update(email.toLowerCase())
    .update(isAfterReset ? ' after reset' : '')
    .digest();

/** The digests of the network of a client: with the present key, which is stored, then with the earlier ones. */
export type ClientDigests = readonly [Buffer, ...Buffer[]];

/** The digest of the network of a client. */
export const digestOfClient = (secretKey: string, network: string): Buffer =>
  createHmac('sha256', secretKey).update('login-client:').update(network).digest();
