/** The workspace and its settings. */
import Joi from 'joi';
import { faultTexts } from '../../../models/errors.js';
import { updateWorkspace } from '../../../models/operations/workspaces/update-workspace.js';
import { toCredits, toThousandths } from '../../../models/rules/billing/credits.js';
import { isCountryOfPhones } from '../../../models/rules/messages/phone-country.js';
import { Workspace } from '../../../models/tables/workspace.js';
import { endpoint } from '../../declare.js';
import { presentOwnWorkspace } from '../../present/presenters.js';
import { named } from '../../http/schemas/json-schema.js';
import { dataOf } from '../../http/schemas/schemas.js';
import { rule } from '../../http/schemas/validation.js';
import { wholeNumber } from '../../http/schemas/whole-number.js';
import { workspaceFields } from '../accounts/auth.js';

const limitMax = 1_000_000_000;
const daysMax = 36_500;

/** Whether it can be stored: amounts are whole thousandths of a credit. */
const isAmount = (value: number) => value >= 0 && value <= limitMax && toCredits(toThousandths(value)) === value;

interface WorkspaceBody {
  spend_limit_day?: number | null;
  allowed_countries?: string[] | null;
  message_days?: number | null;
}

const workspaceResponse = dataOf(
  'workspace',
  named(
    'WorkspaceSettings',
    Joi.object({
      ...workspaceFields,
      debt: Joi.number().required().description('Credits that were taken back after they were spent; the next credits pay them first'),
      spend_limit_day: Joi.number().allow(null).required(),
      allowed_countries: Joi.array().items(Joi.string()).allow(null).required(),
      message_days: Joi.number().integer().allow(null).required(),
    }),
  ),
);

export const getWorkspaceEndpoint = endpoint({
  id: 'getWorkspace',
  tag: 'workspace',
  method: 'get',
  path: '/api/v1/workspace',
  summary: 'Get the workspace and its settings',
  auth: 'jwt',
  response: workspaceResponse,
  handler: async ({ caller }) => ({
    workspace: presentOwnWorkspace(await Workspace.findByPk(caller.workspaceId, { rejectOnEmpty: true })),
  }),
});

export const updateWorkspaceEndpoint = endpoint({
  id: 'updateWorkspace',
  tag: 'workspace',
  method: 'put',
  path: '/api/v1/workspace',
  summary: 'Change the settings of the workspace; omitted fields are unchanged, null removes a limit',
  auth: 'jwt',
  body: Joi.object<WorkspaceBody>({
    spend_limit_day: Joi.number()
      .unsafe()
      .allow(null)
      .custom(rule((value: number) => (isAmount(value) ? null : `{field} must be from 0 to ${limitMax}, in thousandths`)))
      .meta({ minimum: 0, maximum: limitMax })
      .description('The most credits that may be debited per day (UTC). A send above the limit fails with 402 and the code `spend_limit`'),
    allowed_countries: Joi.array()
      .allow(null)
      .custom(rule((list: unknown[]) => (isCountries(list) ? null : faultTexts.countries)))
      .custom((list: string[]) => [...new Set(list)].toSorted())
      .meta({ type: ['array', 'null'], items: { type: 'string', pattern: '^[A-Z]{2}$' }, minItems: 1, maxItems: 300 })
      .description('Allowed countries of phone recipients, as ISO 3166 alpha-2 codes, and XK, AC, TA; null allows all'),
    message_days: wholeNumber(0, daysMax)
      .allow(null)
      .meta({ type: ['integer', 'null'] })
      .description(
        'Texts and recipients of messages are erased after this many days. 0 or null: the limit of the installation, which also applies to larger numbers',
      ),
  }).required(),
  response: workspaceResponse,
  async handler({ caller, body: { spend_limit_day: limit, ...rest }, origin }, { db }) {
    const change = { ...rest, ...(limit === undefined ? {} : { spend_limit_day: limit === null ? null : toThousandths(limit) }) };
    return { workspace: presentOwnWorkspace(await updateWorkspace(db, caller.workspaceId, change, origin)) };
  },
});

const isCountries = (list: readonly unknown[]) =>
  list.length > 0 && list.length <= 300 && list.every((code) => typeof code === 'string' && isCountryOfPhones(code));
