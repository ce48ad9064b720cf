/** What the workspace may spend, where it may send, and how long texts are kept. */
import { call, type Schema } from '../../api/call.js';
import { Problem } from '../../api/problem.js';
import { countText } from '../../parts/count.js';
import { Form, TextField } from '../../parts/form.js';
import { dayMs, momentText } from '../../parts/time.js';
import { confirm } from '../../state/confirm.js';
import { isAsSent, textOf, useForm } from '../../state/form.js';
import type { Workspace } from '../../state/session.js';
import { notify } from '../../state/notices.js';

const fields = ['spend_limit_day', 'allowed_countries', 'message_days'] as const;

export function PolicyForm({ workspace, changed }: { workspace: Workspace; changed(workspace: Workspace): void }) {
  const shown = textsOf(workspace);
  const form = useForm(async (data, element, origin) => {
    const changes = changesOf(data, shown);
    if (!(await mayErase(workspace.message_days, changes.message_days)) || origin.isLeft()) return;
    const { workspace: next } = await call('put', '/api/v1/workspace', { body: changes });
    changed(next);
    // The fields show what is stored now, also where a program changed it. What was written meanwhile stays.
    if (isAsSent(element, data)) element.reset();
    notify('Settings saved.');
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
  message_days: daysOf(message_days) === Infinity ? '' : String(message_days),
});

/** What is no number is sent as it is: the API says what is wrong with it. */
function numberOr(text: string): number | null {
  if (text === '') return null;
  return Number.isNaN(Number(text)) ? (text as unknown as number) : Number(text);
}

/** `1.500` and `1,500` are fifteen hundred to some people, and one and a half to others. */
function assertOneReading(text: string): void {
  if (!/^\d{1,3}([.,]\d{3})+$/.test(text)) return;
  const message = 'spend_limit_day can be read in two ways: write a thousand as 1000, and one and a half as 1.5';
  throw new Problem(400, { error: message, details: [{ field: 'spend_limit_day', message }] });
}

/** Both 0 and null mean: as long as the installation keeps them. How long that is, the console does not know. */
const daysOf = (days: number | null): number => days || Infinity;

/** Asks before texts are erased sooner than until now: nobody can bring them back. */
async function mayErase(known: number | null, next: number | null | undefined): Promise<boolean> {
  if (typeof next !== 'number' || daysOf(next) >= daysOf(known)) return true;
  const before = momentText(new Date(Date.now() - next * dayMs).toISOString());
  return confirm({
    title: 'Erase older texts and recipients?',
    text: `Texts and recipients of messages from before ${before} are erased permanently, and later ones after ${countText(next, 'day')}.`,
    action: 'Save and erase',
  });
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
  if (given('spend_limit_day') !== shown.spend_limit_day) assertOneReading(given('spend_limit_day'));
  const all = {
    spend_limit_day: numberOr(given('spend_limit_day')),
    allowed_countries: countriesIn(given('allowed_countries')),
    message_days: numberOr(given('message_days')),
  };
  return Object.fromEntries(fields.filter((name) => given(name) !== shown[name]).map((name) => [name, all[name]]));
}
