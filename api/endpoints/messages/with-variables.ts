import { faultsOfVariables, renderContent } from '../../../models/rules/messages/render-content.js';
import { refusalOfContent } from '../../../models/rules/bulk/bulk-templates.js';
import type { Deps } from '../../deps.js';
import type { Checked } from '../../http/schemas/validation.js';
import type { SendBody } from './message-schemas.js';

/**
 * Renders the content of the body if it has variables. The body keeps the original content, too: two requests with different contents are
 * different requests, even if both render to the same text. A content whose rendering would take too long is refused with 409.
 */
export async function withVariables(checked: Checked<SendBody>, { config }: Pick<Deps, 'config'>): Promise<Checked<SendBody>> {
  const { value, faults, ...others } = checked;
  const { variables, content, channel, fallback = [] } = value;
  if (variables === undefined || faults.length > 0) return checked;
  const refusal = refusalOfContent(content, config.quotas.placeholders);
  if (refusal !== undefined) return { ...checked, refusal, faults: faultsOfVariables(variables) };
  const rendered = renderContent(content, variables, [channel, ...fallback.map((step) => step.channel)]);
  return { ...others, value: { ...value, content: rendered.content, written: content }, faults: rendered.faults };
}
