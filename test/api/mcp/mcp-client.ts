/** The client of the official SDK, connected to the MCP server of a service. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Json } from '../../support/client.js';

export const sms = { to: '+15551234567', channel: 'sms', content: { text: 'Hello' } };

/** Call it in a `describe`: what it connects is closed after the tests. @returns what connects to the service at this address */
export function useMcp(url: () => string): (headers: Record<string, string>) => Promise<Client> {
  const clients: Client[] = [];
  after(() => Promise.all(clients.map((client) => client.close())));
  return async (headers) => {
    const client = new Client({ name: 'test', version: '1.0.0' });
    const transport = new StreamableHTTPClientTransport(new URL(`${url()}/mcp`), { requestInit: { headers } });
    await client.connect(transport);
    clients.push(client);
    return client;
  };
}

/** One request of MCP without its SDK, which would not send a wrong one. A text is sent as it is. */
export const postMcp = (url: string, headers: Record<string, string>, body: unknown): Promise<Response> =>
  fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

/** The request for the list of tools. */
export const listTools = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

/** What a tool answers, parsed. */
export async function callTool(client: Client, name: string, args: object = {}): Promise<{ isError: boolean; data: Json }> {
  const { content, isError = false } = await client.callTool({ name, arguments: args as Record<string, unknown> });
  const [first] = content as { text: string }[];
  return { isError: isError === true, data: JSON.parse(first?.text ?? 'null') };
}
