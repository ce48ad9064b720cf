/** What the workspace may spend, where it may send, and how long texts are kept. */
import { call, type Schema } from '../../api/call.js';
import { Form, TextField } from '../../parts/form.js';
import { textOf, useForm } from '../../state/form.js';
import type { Workspace } from '../../state/session.js';
import { toast } from '../../state/toasts.js';

const fields = ['spend_limit_day', 'allowed_countries', 'message_days'] as const;

export function PolicyForm({ workspace, changed }: { workspace: Workspace; changed(workspace: Workspace): void }) {
  const shown = textsOf(workspace);
  const form = useForm(async (data, element) => {
    const { workspace: next } = await call('put', '/api/v1/workspace', { body: changesOf(data, shown) });
    changed(next);
    // The fields show what is stored now, also where a program changed it. What was written meanwhile stays.
    const written = new FormData(element);
    if (fields.every((name) => textOf(written, name) === textOf(data, name))) element.reset();
    toast('The settings are saved.');
  });
  return (
    <section aria-labelledby="policy">
      <h2 id="policy">Sending</h2>
      <Form form={form} action="Save" fields={fields}>
        <TextField
          name="spend_limit_day"
          label="Daily spending limit (optional)"
          inputMode="decimal"
          hint="In credits, from midnight to midnight UTC; empty: no limit"
          defaultValue={shown.spend_limit_day}
        />
        <TextField
          name="allowed_countries"
          label="Allowed countries (optional)"
          hint="Two letters each, separated by commas, for example DE, US; empty: all"
          defaultValue={shown.allowed_countries}
        />
        <TextField
          name="message_days"
          label="Days until texts and recipients are erased (optional)"
          inputMode="numeric"
          hint="Empty: as long as this installation keeps them"
          defaultValue={shown.message_days}
        />
      </Form>
    </section>
  );
}

/** The fields as the form shows them. */
const textsOf = ({ spend_limit_day, allowed_countries, message_days }: Workspace) => ({
  spend_limit_day: spend_limit_day?.toString() ?? '',
  allowed_countries: allowed_countries?.join(', ') ?? '',
  message_days: message_days?.toString() ?? '',
});

/** What is no number is sent as it is: the API says what is wrong with it. */
function numberOr(text: string): number | null {
  if (text === '') return null;
  return Number.isNaN(Number(text)) ? (text as unknown as number) : Number(text);
}

function countriesIn(text: string): string[] | null {
  const codes = text
    .split(',')
    .map((code) => code.trim().toUpperCase())
    .filter((code) => code !== '');
  return codes.length === 0 ? null : codes;
}

/** What was not changed is left out: a program may have changed it since it was shown. */
function changesOf(data: FormData, shown: ReturnType<typeof textsOf>): Schema<'UpdateWorkspaceRequest'> {
  const given = (name: (typeof fields)[number]) => textOf(data, name).trim();
  const all = {
    spend_limit_day: numberOr(given('spend_limit_day')),
    allowed_countries: countriesIn(given('allowed_countries')),
    message_days: numberOr(given('message_days')),
  };
  return Object.fromEntries(fields.filter((name) => given(name) !== shown[name]).map((name) => [name, all[name]]));
}
