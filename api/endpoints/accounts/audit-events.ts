/** Audit events: changes to the account, with actor and client address. */
import Joi from 'joi';
import { auditSort, listAuditEvents } from '../../../models/operations/audit/list-audit-events.js';
import { auditFilters, auditTargets, auditTypes, typesOf } from '../../../models/rules/audit/audit-types.js';
import { type ActorType, actorTypes } from '../../../models/rules/audit/origin.js';
import { mapRows } from '../../../models/rules/values/list-window.js';
import { isUuid } from '../../../models/rules/values/text.js';
import { list } from '../../declare.js';
import { presentAuditEvent } from '../../present/presenters.js';
import { named } from '../../http/schemas/json-schema.js';
import { bound, date, id, idOrNull, listOf, textOrNull, textThat, enumOf } from '../../http/schemas/schemas.js';
import { oneOfWords } from '../../http/schemas/words.js';

const actorResponse = Joi.object({
  type: enumOf('AuditActorType', actorTypes).required(),
  id: idOrNull(),
  name: textOrNull(),
});
const targetResponse = Joi.object({
  type: Joi.string().required().description(oneOfWords(auditTargets)),
  id: idOrNull(),
  name: textOrNull(),
});

const eventResponse = named(
  'AuditEvent',
  Joi.object({
    id: id(),
    type: Joi.string().required().description(oneOfWords(auditTypes)),
    at: date(),
    actor: named('AuditActor', actorResponse).required(),
    address: textOrNull(),
    user_agent: textOrNull(),
    request_id: textOrNull(),
    // Every event has a target with an id. The schema of the contract allows null, so it stays as it is.
    target: named('AuditTarget', targetResponse).allow(null).required(),
    changes: Joi.object().unknown().allow(null).required(),
  }),
);

interface AuditQuery {
  type?: string[];
  actor?: string;
  start_date?: Date;
  end_date?: Date;
}

const isActor = (value: string): value is ActorType => (actorTypes as readonly string[]).includes(value);

export const listAuditEventsEndpoint = list({
  id: 'listAuditEvents',
  tag: 'audit-events',
  path: '/api/v1/audit-events',
  summary: 'List audit events, newest first: changes to the account, with actor and client address',
  auth: 'jwt',
  name: 'audit_events',
  row: eventResponse,
  filters: Joi.object<AuditQuery>({
    type: listOf(auditFilters).description('One or several types, separated by commas. `api_key.*` matches all types with this prefix'),
    actor: textThat(
      (value) => isActor(value) || isUuid(value),
      `Invalid actor. Must be one of: ${actorTypes.join(', ')}, or an id`,
    ).description('A type of actor, or the id of an API key'),
    start_date: bound('first'),
    end_date: bound('last'),
  }),
  sort: auditSort,
  async find({ caller, filters: { type, actor, start_date, end_date }, window }, { db }) {
    const filters = {
      types: type?.flatMap(typesOf),
      ...byActor(actor),
      from: start_date,
      to: end_date,
    };
    return mapRows(await listAuditEvents(db, caller.workspaceId, filters, window), presentAuditEvent);
  },
});

function byActor(actor: string | undefined) {
  if (actor === undefined) return {};
  return isActor(actor) ? { actorType: actor } : { actorId: actor };
}
