/** Texts of a single send that are checked after rendering. The body may have faults, which are reported elsewhere. */
import { mayHavePlaceholders } from '../../../models/rules/messages/template.js';

type Body = Readonly<Record<string, unknown>>;

/** Whether the body has values for placeholders. */
export const hasVariables = ({ variables }: Body): boolean => (variables ?? null) !== null;

/** Whether the text is checked only after its values are filled in. A text without placeholders is checked at once. */
export const isCheckedAfterRendering = (source: string, body: Body): boolean => hasVariables(body) && mayHavePlaceholders(source);
