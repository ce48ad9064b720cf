/** What the workspace may spend, where it may send, and how long texts are kept. */
import { call, type Schema } from '../../api/call.js';
import { Form, TextField } from '../../parts/form.js';
import { textOf, useForm } from '../../state/form.js';
import type { Workspace } from '../../state/session.js';
import { toast } from '../../state/toasts.js';

const fields = ['spend_limit_day', 'allowed_countries', 'message_days'] as const;

export function PolicyForm({ workspace, changed }: { workspace: Workspace; changed(workspace: Workspace): void }) {
  const form = useForm(async (data) => {
    const { workspace: next } = await call('put', '/api/v1/workspace', { body: changesOf(data) });
    changed(next);
    toast('The settings are saved.');
  });
  const { spend_limit_day: limit, allowed_countries: countries, message_days: days } = workspace;
  return (
    <section aria-labelledby="policy">
      <h2 id="policy">Sending</h2>
      <Form form={form} action="Save" fields={fields}>
        <TextField
          name="spend_limit_day"
          label="Daily spending limit (optional)"
          inputMode="decimal"
          hint="In credits, from midnight to midnight UTC; empty: no limit"
          defaultValue={limit?.toString() ?? ''}
        />
        <TextField
          name="allowed_countries"
          label="Allowed countries (optional)"
          hint="Two letters each, separated by commas, for example DE, US; empty: all"
          defaultValue={countries?.join(', ') ?? ''}
        />
        <TextField
          name="message_days"
          label="Days until texts and recipients are erased (optional)"
          inputMode="numeric"
          hint="Empty: as long as this installation keeps them"
          defaultValue={days?.toString() ?? ''}
        />
      </Form>
    </section>
  );
}

/** What is no number is sent as it is: the API says what is wrong with it. */
function numberOr(text: string): number | null {
  if (text === '') return null;
  return Number.isNaN(Number(text)) ? (text as unknown as number) : Number(text);
}

function changesOf(data: FormData): Schema<'UpdateWorkspaceRequest'> {
  const [limit = '', countries = '', days = ''] = fields.map((name) => textOf(data, name).trim());
  const codes = countries
    .split(',')
    .map((code) => code.trim().toUpperCase())
    .filter((code) => code !== '');
  return {
    spend_limit_day: numberOr(limit),
    allowed_countries: codes.length === 0 ? null : codes,
    message_days: numberOr(days),
  };
}
