import { channelsOf } from '../../../models/rules/messages/fallback.js';
import { faultsOfVariables, renderContent } from '../../../models/rules/messages/render-content.js';
import { refusalOfContent } from '../../../models/rules/messages/refusal-of-content.js';
import type { Deps } from '../../deps.js';
import { mergeFaults } from '../../http/schemas/unknown-fields.js';
import type { Checked } from '../../http/schemas/validation.js';
import { type SendBody, sendBody } from './message-schemas.js';

/**
 * Renders the content of the body if it has variables. The body keeps the original content, too: two requests with different contents are
 * different requests, even if both render to the same text. A content whose rendering would take too long is refused with 409.
 */
export async function withVariables(checked: Checked<SendBody>, { config }: Pick<Deps, 'config'>): Promise<Checked<SendBody>> {
  const { value, faults, ...others } = checked;
  const { variables, content } = value;
  if (variables === undefined || !canRender(checked)) return checked;
  const refusal = refusalOfContent(content, config.quotas.placeholders);
  if (refusal !== undefined) return { ...checked, refusal, faults: mergeFaults(sendBody, faults, faultsOfVariables(variables)) };
  const rendered = renderContent(content, variables, channelsOf(value));
  const all = mergeFaults(sendBody, faults, rendered.faults);
  return { ...others, value: { ...value, content: rendered.content, written: content }, faults: all };
}

/**
 * The fields that decide what is rendered; the empty one is the body itself. Faults of the others, such as the recipient, do not hide those of the
 * variables.
 */
const renderedFields = /^(?:channel|content|variables|fallback|)(?:[.[]|$)/;

function canRender({ value, faults }: Checked<SendBody>): boolean {
  const { channel, content } = value as Partial<SendBody>;
  return channel !== undefined && content !== undefined && !faults.some(({ field }) => renderedFields.test(field));
}
