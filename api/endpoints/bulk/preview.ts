/** Previews: render and price a single or bulk send without sending it. */
import Joi from 'joi';
import { type AppError, type Fault, invalid } from '../../../models/errors.js';
import { type BulkPlan, faultsOfPlan } from '../../../models/rules/bulk/bulk.js';
import { previewBulk, previewUnitsMax, type PreviewedMessage } from '../../../models/rules/bulk/bulk-preview.js';
import { priceOf, toCredits } from '../../../models/rules/billing/credits.js';
import { chainCostMax, channelsOf, type FallbackStep } from '../../../models/rules/messages/fallback.js';
import { carrierView } from '../../../models/rules/messages/segments.js';
import { parseObject } from '../../http/parse-body.js';
import { defaultMaxBytes } from '../../http/read-body.js';
import type { BulkDeps } from '../../deps.js';
import { bulkEndpoint } from '../../declare.js';
import { apiKey } from '../../http/endpoint.js';
import type { Caller } from '../../http/caller.js';
import { type Convert, named } from '../../http/schemas/json-schema.js';
import { fault } from '../../http/schemas/schemas.js';
import { assertChannels, countryFaults } from '../../auth/sending-rules.js';
import { type Checked, check } from '../../http/schemas/validation.js';
import { bulkBytesMax } from './bulk.js';
import { scopeForContacts, withContacts, withinCountries } from './bulk-contacts.js';
import { type BulkBody, bulkBody, planned, withoutContent } from './bulk-schemas.js';
import { BulkWarnings } from './bulk-warnings.js';
import { fallbackSteps, recipientFields } from '../messages/fallback.js';
import { previewedChain } from '../messages/fallback-schemas.js';
import { previewWarnings } from '../messages/preview-warnings.js';
import { type SendBody, sendBody } from '../messages/message-schemas.js';
import { assertNotExpired, recipientOf, scopeForContact } from '../messages/new-message.js';
import { assertTemplateSupported } from '../messages/template-support.js';
import { noteUnusedContent } from '../messages/unused-content.js';
import { withVariables } from '../messages/with-variables.js';

/** The body of a single or a bulk send. A bulk send has `recipients` or `tag`. */
interface PreviewBody {
  single: SendBody | null;
  bulk: BulkBody | null;
}

/** Every shape of both bodies, side by side: code generators do not follow an alternative inside of another one. */
const eitherBody = (convert: Convert) => ({ oneOf: [sendBody, bulkBody].flatMap((schema) => convert(schema).oneOf) });

const previewed = named(
  'PreviewedMessage',
  Joi.object({
    to: Joi.string().allow('').required(),
    text: Joi.string().allow('').required(),
    segments: Joi.number().integer().allow(null).required(),
    encoding: Joi.string().allow(null).required(),
    credits: Joi.number().required(),
    errors: Joi.array().items(fault()).required(),
  }),
);

const previewResponse = named(
  'PreviewData',
  Joi.object({
    messages: Joi.array().items(previewed),
    credits: Joi.number().required(),
    fallback: previewedChain,
    warnings: Joi.array()
      .items(fault())
      .description(
        'Probable mistakes of a send that would be accepted; for a bulk send with the number of messages. Present only if there are any',
      ),
  }),
);

export const previewMessagesEndpoint = bulkEndpoint({
  id: 'previewMessages',
  tag: 'messages',
  method: 'post',
  path: '/api/v1/messages/preview',
  summary: 'Render and price a single or bulk send without sending it',
  auth: apiKey('send_messages'),
  body: Joi.object<PreviewBody>().unknown().meta({ type: 'object', derive: eitherBody }),
  bodyBytesMax: bulkBytesMax,
  secondRate: (body) => (isBulkBody(body) ? 'bulk' : undefined),
  isCheap: (body) => !isBulkBody(body),
  extraScope: (given) => (isBulk(given) ? scopeForContacts(given) : scopeForContact(given)),
  examine: examinePreview,
  response: previewResponse,
  async handler({ caller, body: { single, bulk }, refusal }, { db, config }) {
    const given = single ?? bulk;
    if (given !== null) {
      assertChannels(caller, channelsOf(given));
      assertTemplateSupported(config, given);
    }
    const ofBulk = bulk === null ? nothing : await previewAll({ db, config }, caller, { given: bulk, refusal });
    const { messages, warnings, fallback } =
      single === null ? ofBulk : await previewOne({ db, config }, caller, { given: single, refusal });
    const cost = messages.reduce((sum, message) => sum + message.cost, 0);
    return {
      messages: messages.map(({ cost: one, ...message }) => ({ ...message, credits: toCredits(one) })),
      credits: toCredits(cost),
      ...(warnings.length === 0 ? {} : { warnings }),
      ...(fallback === undefined ? {} : { fallback }),
    };
  },
});

/** A single send may contain an unknown field `tag`, so `to` and `contact_id` decide. */
function isBulk({ recipients, tag, to, contact_id }: Record<string, unknown>): boolean {
  return (recipients ?? null) !== null || ((tag ?? '') !== '' && (to ?? '') === '' && (contact_id ?? '') === '');
}

/** A body that is too large for a single send counts as bulk without being parsed; invalid JSON counts as single. */
function isBulkBody(body: Buffer): boolean {
  if (body.length > defaultMaxBytes) return true;
  try {
    return isBulk(parseObject(body) as Record<string, unknown>);
  } catch {
    return false;
  }
}

interface Shown {
  messages: PreviewedMessage[];
  warnings: Fault[];
  /** The chain of a single send that has one. */
  fallback?: object;
}

const nothing: Shown = { messages: [], warnings: [] };

/** @throws AppError the refusal, if nothing else is wrong */
async function previewAll(
  deps: Pick<BulkDeps, 'db' | 'config'>,
  { workspaceId, allowedCountries }: Caller,
  { given, refusal }: { given: BulkBody; refusal: AppError | null },
): Promise<Shown> {
  const { db } = deps;
  assertNotExpired(given, new Date());
  const checkable = refusal === null ? given : withoutContent(given);
  const bulk = await withinCountries(await withContacts(db, workspaceId, checkable, previewUnitsMax), allowedCountries);
  if (bulk.plan.faults.length > 0) throw invalid(bulk.plan.faults);
  if (refusal !== null) throw refusal;
  const warnings = new BulkWarnings(bulk);
  const messages = await previewBulk(bulk, bulk.plan, warnings.note);
  return { messages, warnings: await warnings.all(deps, workspaceId) };
}

/** @throws AppError as `previewAll` */
async function previewOne(
  deps: Pick<BulkDeps, 'db' | 'config'>,
  caller: Caller,
  { given, refusal }: { given: SendBody; refusal: AppError | null },
): Promise<Shown> {
  const { workspaceId } = caller;
  assertNotExpired(given, new Date());
  const to = await recipientOf(workspaceId, given);
  const steps = await fallbackSteps(workspaceId, given);
  const message = previewOf(given, to, countryFaults(caller, recipientFields(given, to, steps)));
  if (refusal !== null) throw refusal;
  const warnings = await previewWarnings(deps, workspaceId, { body: given, to });
  return { messages: [message], warnings, ...(given.fallback === undefined ? {} : { fallback: previewChain(message, steps) }) };
}

/**
 * Finds the faults of the request itself. Faults of recipients are part of the preview and do not fail the request. If there is no preview,
 * they are listed beside the others.
 */
async function examinePreview({ value: given }: Checked<PreviewBody>, deps: Pick<BulkDeps, 'config'>): Promise<Checked<PreviewBody>> {
  if (!isBulk(given as unknown as Record<string, unknown>)) {
    const { value, ...others } = await withVariables(noteUnusedContent(check(sendBody, given)), deps);
    return { ...others, value: { single: value, bulk: null } };
  }
  const checked = noteUnusedContent(check(bulkBody, given));
  const refusals = (body: BulkBody, plan: BulkPlan) => (checked.faults.length + plan.faults.length > 0 ? faultsOfPlan(body, plan) : []);
  const { value, ...others } = await planned(checked, deps, refusals, previewUnitsMax);
  return { ...others, value: { single: null, bulk: value } };
}

function previewOf({ channel, content }: SendBody, to: string, errors: Fault[]): PreviewedMessage {
  // As in a bulk preview, a message that a send would refuse costs nothing.
  const cost = errors.length > 0 ? 0 : priceOf(channel, content.text);
  return { to, text: content.text, ...carrierView(channel, content.text), cost, errors };
}

function previewChain(first: PreviewedMessage, steps: readonly FallbackStep[]): object {
  const isRefused = first.errors.length > 0;
  return {
    steps: steps.map(({ price, content: _, ...step }) => ({ ...step, credits: toCredits(price) })),
    credits_max: toCredits(isRefused ? 0 : chainCostMax([first.cost, ...steps.map(({ price }) => price)])),
  };
}
