import type { Config } from '../../../models/settings/config.js';
import { digestOfClient } from '../../../models/rules/accounts/login-digest.js';
import type { Origin } from '../../../models/rules/audit/origin.js';
import { addressKey } from '../../http/client-address.js';

/** The network of a client, as stored with logins: a keyed hash of its IPv4 address or IPv6 /64. */
export const clientOf = ({ secretKey }: Pick<Config, 'secretKey'>, { address }: Origin): Buffer =>
  digestOfClient(secretKey, addressKey(address ?? undefined));
