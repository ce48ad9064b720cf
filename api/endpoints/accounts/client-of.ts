import type { Config } from '../../../models/settings/config.js';
import { type ClientDigests, digestOfClient } from '../../../models/rules/accounts/login-digest.js';
import type { Origin } from '../../../models/rules/audit/origin.js';
import { addressKey } from '../../http/client-address.js';

/**
 * The network of a client, as stored with logins: a keyed hash of its IPv4 address or IPv6 /64, with the present key, then with the earlier
 * ones.
 */
export const clientOf = ({ secretKeys }: Pick<Config, 'secretKeys'>, { address }: Origin): ClientDigests => {
  const network = addressKey(address ?? undefined);
  return secretKeys.map((secretKey) => digestOfClient(secretKey, network)) as [Buffer, ...Buffer[]];
};
