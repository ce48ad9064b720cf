/**
 * Probes for process managers and load balancers. A probe queries no other server: a database that is away is no reason to restart or leave out
 * a process.
 */
import Joi from 'joi';
import { endpoint } from '../../declare.js';
import { named } from '../../http/schemas/json-schema.js';
import { Reply } from '../../http/reply.js';

export const getLivenessEndpoint = endpoint({
  id: 'getLiveness',
  tag: 'health',
  method: 'get',
  path: '/live',
  summary: 'Check whether the process runs: 200 while it responds at all',
  auth: 'none',
  rate: 'probe',
  response: named('Liveness', Joi.object({ status: Joi.string().valid('ok').required() })),
  envelope: false,
  handler: async () => ({ status: 'ok' }),
});

export const getReadinessEndpoint = endpoint({
  id: 'getReadiness',
  tag: 'health',
  method: 'get',
  path: '/ready',
  summary: 'Check whether the process should get traffic: 200, or 503 as soon as it shuts down',
  auth: 'none',
  rate: 'probe',
  response: named('Readiness', Joi.object({ status: Joi.string().valid('ok', 'draining').required() })),
  otherStatus: 503,
  envelope: false,
  handler: async (_input, { isDraining }) =>
    new Reply({ data: { status: isDraining ? 'draining' : 'ok' } }, { status: isDraining ? 503 : 200 }),
});
