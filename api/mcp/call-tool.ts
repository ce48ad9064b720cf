/** Runs the endpoint of a tool for a caller whose credential and rate limit were checked. */
import { assertMaySend } from '../auth/sending-rules.js';
import type { Deps } from '../deps.js';
import { assertScope, type Caller } from '../http/caller.js';
import { type Endpoint, scopeOf } from '../http/endpoint.js';
import type { HandlerRequest } from '../http/handler-request.js';
import { dataIn, type Reply } from '../http/reply.js';
import type { SendTrace } from '../http/request-context.js';
import type { ResourceLimits } from '../http/resource-limits.js';
import { ignoredFieldsIn } from '../http/ignored-fields.js';
import { AppError, invalid, invalidField, missingFieldText } from '../../models/errors.js';
import { statusOf } from '../http/errors/error-status.js';
import { giveBackMcpSend, takeMcpSend } from '../../models/operations/messages/mcp-sends.js';
import { Message } from '../../models/tables/message.js';
import type { Origin } from '../../models/rules/audit/origin.js';
import { runEndpoint } from '../serve-endpoint.js';
import { issuePreviewToken, readPreviewToken } from './preview-token.js';
import { paramsOf, preview, send, type Tool } from './tool.js';

export type Arguments = Record<string, unknown>;

export interface ToolCaller extends SendTrace {
  caller: Caller;
  origin: Origin;
}

/** @returns `data` of the endpoint's response, with the names of ignored arguments @throws AppError of the endpoint */
export type CallTool = (tool: Tool, given: Arguments, by: ToolCaller) => Promise<object>;

export function createCallTool(deps: Deps, limits: ResourceLimits): CallTool {
  const { config } = deps;

  return async ({ endpoint }, given, by) => {
    assertScope(by.caller, scopeOf(endpoint.auth));
    if (endpoint.sends === true) assertMaySend(by.caller, config);
    const { workspaceId } = by.caller;
    if (endpoint === send) return sendOnce(given, by);
    if (endpoint !== preview) return dataOf(await run(endpoint, given, by));
    const { preview_token: _, ...message } = given;
    const shown = await limits.bulkRequests(() => run(endpoint, singleOnly(message), by), workspaceId);
    const data = dataOf(
      shown,
      bulkOnly.filter((name) => name in message),
    ) as { messages?: { errors: unknown[] }[] };
    const canBeSent = data.messages?.every(({ errors }) => errors.length === 0) === true;
    return canBeSent ? { ...data, preview_token: issuePreviewToken(config.secretKeys, { workspaceId, message }) } : data;
  };

  async function sendOnce({ preview_token, ...message }: Arguments, by: ToolCaller): Promise<object> {
    const { workspaceId } = by.caller;
    const id = readPreviewToken(config.secretKeys, preview_token, { workspaceId, message });
    const idempotencyKey = `mcp-${id}`;
    const once = () => run(send, message, by, idempotencyKey);
    // A send that is repeated was counted before, and its response is the same also when the limit is reached.
    const isRepeated = (await Message.count({ where: { workspace_id: workspaceId, idempotency_key: idempotencyKey } })) > 0;
    return dataOf(isRepeated ? await once() : await counted(deps, workspaceId, once));
  }

  function run(item: Endpoint<Deps>, given: Arguments, by: ToolCaller, idempotencyKey: string | null = null): Promise<Reply> {
    const url = `${config.publicUrl}/mcp`;
    return runEndpoint(item, { ...by, ...partsOf(item, given), idempotencyKey, url, headers: {} }, deps);
  }
}

/** Counts a send towards the daily limit, unless nothing was sent, or a call at the same time with the same token has sent it. */
async function counted({ db, config, logger }: Deps, workspaceId: string, sendIt: () => Promise<Reply>): Promise<Reply> {
  await takeMcpSend(db, workspaceId, config.mcp.sendsDay);
  // The caller gets the outcome of the send in any case. If this fails, the send counts.
  const giveBack = () =>
    giveBackMcpSend(db, workspaceId).catch((err: unknown) =>
      logger.warn({ err }, 'an MCP send that was not made could not be given back: it counts towards the daily limit'),
    );
  const reply = await sendIt().catch(async (error: unknown) => {
    // After a failure of the service the message may exist, so it counts. A busy service has refused the send before it began.
    if (error instanceof AppError && (statusOf(error) < 500 || error.code === 'unavailable')) await giveBack();
    throw error;
  });
  if (reply.options.headers?.['Idempotent-Replayed'] !== undefined) await giveBack();
  return reply;
}

/** The fields of a bulk preview, which has limits of its own. */
const bulkOnly = ['recipients', 'tag'];
const singleOnly = (given: Arguments): Arguments => Object.fromEntries(Object.entries(given).filter(([name]) => !bulkOnly.includes(name)));

/** The parts of a request. The parameters of path and query are texts, in which null would be a word. */
function partsOf(item: Endpoint<Deps>, given: Arguments): Pick<HandlerRequest, 'params' | 'query' | 'body'> {
  const isGiven = (name: string) => given[name] !== null && given[name] !== undefined;
  const inPath = paramsOf(item);
  const missing = inPath.filter((name) => !isGiven(name));
  if (missing.length > 0) throw invalid(missing.map((field) => ({ field, message: missingFieldText(field) })));
  const rest = Object.keys(given).filter((name) => !inPath.includes(name));
  const texts = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, textOf(given[name])]));
  return {
    params: texts(inPath),
    query: item.body === undefined ? texts(rest.filter(isGiven)) : {},
    body: item.body === undefined ? Buffer.alloc(0) : Buffer.from(jsonOf(Object.fromEntries(rest.map((name) => [name, given[name]])))),
  };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : jsonOf(value));

/** JSON can be nested deeper than the call stack allows. @throws AppError 400 */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    throw invalidField('', 'The arguments are nested too deeply');
  }
}

/** @param dropped arguments that the endpoint did not see */
const dataOf = (reply: Reply, dropped: readonly string[] = []): object => ({
  ...dataIn(reply),
  ...ignoredFields(reply.options.headers ?? {}, dropped),
});

/** Assistants see no headers, so results and errors have this field instead. */
export function ignoredFields(headers: Readonly<Record<string, string>>, dropped: readonly string[] = []): { ignored_fields?: string[] } {
  const ignored = [...dropped, ...ignoredFieldsIn(headers)];
  return ignored.length === 0 ? {} : { ignored_fields: ignored };
}
