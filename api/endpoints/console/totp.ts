/** The state of the second factor, for the settings of the console. What changes it is in `accounts/totp.ts`. */
import Joi from 'joi';
import { readTotp } from '../../../models/operations/accounts/read-totp.js';
import { endpoint } from '../../declare.js';
import { named } from '../../http/schemas/json-schema.js';
import { dataOf, dateOrNull } from '../../http/schemas/schemas.js';
import { iso } from '../../present/presenters.js';

export const getTotpEndpoint = endpoint({
  id: 'getTotp',
  tag: 'console',
  method: 'get',
  path: '/console/session/totp',
  summary: 'Get the state of TOTP: since when it is enabled, and how many recovery codes are left',
  auth: 'jwt',
  response: dataOf(
    'totp',
    named('TotpState', Joi.object({ enabled_at: dateOrNull(), recovery_codes_left: Joi.number().integer().required() })),
  ),
  async handler({ caller }, { db }) {
    const { enabledAt, recoveryCodesLeft } = await readTotp(db, caller.workspaceId);
    return { totp: { enabled_at: iso(enabledAt), recovery_codes_left: recoveryCodesLeft } };
  },
});
