import { renderContent } from '../../../models/rules/messages/render-content.js';
import { assertFewPlaceholders } from '../../../models/rules/bulk/bulk-templates.js';
import type { Deps } from '../../deps.js';
import type { Checked } from '../../http/validation.js';
import type { SendBody } from './message-schemas.js';

/**
 * The body with its content rendered, where variables are given. What was written stays in it: a request with another text is another
 * request, also when both render the same.
 * @throws AppError 409 for a content that would be too much work
 */
export async function withVariables(checked: Checked<SendBody>, { config }: Pick<Deps, 'config'>): Promise<Checked<SendBody>> {
  const { value, faults, ...others } = checked;
  const { variables, content, channel, fallback = [] } = value;
  if (variables === undefined || faults.length > 0) return checked;
  assertFewPlaceholders(content, config.quotas.placeholders);
  const rendered = renderContent(content, variables, [channel, ...fallback.map((step) => step.channel)]);
  return { ...others, value: { ...value, content: rendered.content, written: content }, faults: rendered.faults };
}
