/** The values of an audit event, by their names. */
import { Facts } from '../../parts/facts.js';

export const Changes = ({ values }: { values: Readonly<Record<string, unknown>> }) => (
  <Facts facts={Object.entries(values).map(([name, value]) => [name.replaceAll('_', ' '), textOf(value)])} />
);

/** What is no text, such as a list or the value before and after, is shown as JSON. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
