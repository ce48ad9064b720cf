/** Answers messages of the protocol with its official library. The server of a message offers the tools that the scopes of its caller permit. */
import type { IncomingHttpHeaders } from 'node:http';
import { type CallToolResult, createMcpHandler, Server } from '@modelcontextprotocol/server';
import { AppError, internal } from '../../models/errors.js';
import type { Deps } from '../deps.js';
import { errorBody } from '../http/errors/error-body.js';
import { headersOf } from '../http/errors/error-status.js';
import { channelsInWords } from '../present/channel-texts.js';
import { type CallTool, ignoredFields, type ToolCaller } from './call-tool.js';
import { ownErrors } from './protocol-errors.js';
import { isOffered, tools } from './tools.js';

interface Context extends Pick<Deps, 'logger'> {
  callTool: CallTool;
}

/** The HTTP response to a message. Its body is empty for a message that needs no answer. */
export interface McpAnswer {
  status: number;
  type: string | null;
  text: string;
}

/** Answers one message of a client. @param message a parsed JSON object */
export type AnswerMessage = (message: object, headers: IncomingHttpHeaders, by: ToolCaller) => Promise<McpAnswer>;

/** The headers that the protocol defines. */
const isOfProtocol = (name: string) => name === 'accept' || name === 'content-type' || name.startsWith('mcp-');

/** The server has no sessions: each message gets its own server object, so that any process can answer it. */
export function createAnswerMessage(context: Context): AnswerMessage {
  const handler = createMcpHandler((request) => serverFor(request.authInfo?.extra?.by as ToolCaller, context), {
    maxSubscriptions: 0, // the tools do not change, so there is nothing to subscribe to
  });
  return async (message, headers, by) => {
    const ofProtocol = Object.entries(headers).filter(
      (entry): entry is [string, string] => isOfProtocol(entry[0]) && typeof entry[1] === 'string',
    );
    const request = new Request('http://localhost/mcp', { method: 'POST', headers: ofProtocol });
    const response = await handler.fetch(request, {
      parsedBody: message,
      authInfo: { token: '', clientId: by.caller.actor.id ?? '', scopes: [...(by.caller.scopes ?? [])], extra: { by } },
    });
    const { method } = message as { method?: string };
    const noteInternal = (cause: string) =>
      context.logger.error({ err: new Error(cause), request_id: by.origin.requestId }, 'the MCP library failed');
    const text = ownErrors(await response.text(), String(method), noteInternal);
    return { status: response.status, type: response.headers.get('content-type'), text };
  };
}

function serverFor(by: ToolCaller, { callTool, logger }: Context): Server {
  const server = new Server({ name: 'tidings', version: '1.0.0' }, { capabilities: { tools: {} }, instructions });
  const offered = tools.filter((tool) => isOffered(tool, by.caller.scopes));
  server.setRequestHandler('tools/list', () => ({ tools: offered.map(({ endpoint: _, ...tool }) => tool) }));
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: given = {} } }) => {
    const tool = tools.find((each) => each.name === name);
    if (tool === undefined) return failed({ error: `There is no tool ${name}` });
    try {
      return textOf(await callTool(tool, given, by));
    } catch (error) {
      const refusal = error instanceof AppError ? error : internal(error);
      if (refusal.code === 'internal_error') logger.error({ err: refusal.cause, request_id: by.origin.requestId }, 'a tool failed');
      return failed({ ...errorBody(refusal, by.origin.requestId ?? ''), ...ignoredFields(headersOf(refusal)) });
    }
  });
  return server;
}

const instructions = `Sends and looks up messages of one workspace by ${channelsInWords}. Phone numbers are in E.164, for example +15551234567. Preview each message, and send only what the user has agreed to.`;

const textOf = (value: object): CallToolResult => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });
const failed = (value: object): CallToolResult => ({ ...textOf(value), isError: true });
