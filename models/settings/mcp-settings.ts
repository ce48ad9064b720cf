/** Settings of the MCP server, by which AI assistants use the service; see docs/mcp.md. */
import Joi from 'joi';
import type { CheckedSettings } from './setting-kinds.js';

export const mcpSettings: Record<string, Joi.Schema> = {
  MCP: Joi.string()
    .valid('on', 'off')
    .default('off')
    .description('on: AI assistants can use the service at /mcp (Model Context Protocol) with an API key'),
  MCP_SENDS_DAY: Joi.number()
    .integer()
    .min(0)
    .max(10_000_000)
    .default(100)
    .description('messages that a workspace can send by MCP per day (UTC); 0 means none'),
};

export interface McpConfig {
  mcp: { isOn: boolean; sendsDay: number };
}

export const mcpConfigOf = (value: CheckedSettings): McpConfig => ({
  mcp: { isOn: value.MCP === 'on', sendsDay: value.MCP_SENDS_DAY },
});
