/** The second factor: whether it is enabled, and how to enable or disable it. */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { call, type Data, type Schema } from '../../api/call.js';
import { problemOf } from '../../api/problem.js';
import { CopyBlock } from '../../parts/copy.js';
import { Lead } from '../../parts/lead.js';
import { Facts } from '../../parts/facts.js';
import { Form, TextField } from '../../parts/form.js';
import { Resource } from '../../parts/loaded.js';
import { QrCode } from '../../parts/qr-code.js';
import { Time } from '../../parts/time.js';
import { type Form as FormState, textOf, useForm } from '../../state/form.js';
import { useLoad } from '../../state/load.js';
import { notify } from '../../state/notices.js';

/** Reads the state again, after a notice if there is one. Until it is there, nothing of the old one is shown. */
type Reread = (notice?: string) => void;

export function SecondFactor() {
  const reads = useSignal(0);
  const heading = useRef<HTMLHeadingElement>(null);
  const state = useLoad<Schema<'TotpState'>>(
    String(reads.value),
    async (signal) => (await call('get', '/console/session/totp', { signal })).totp,
  );
  const reread: Reread = (notice) => {
    reads.value += 1;
    if (notice !== undefined) notify(notice);
    // The button that had the focus goes away.
    heading.current?.focus();
  };
  return (
    <section aria-labelledby="totp">
      <h2 id="totp" ref={heading} tabIndex={-1}>
        Second factor
      </h2>
      <Resource of={state}>
        {(totp) => (totp.enabled_at === null ? <EnableForm reread={reread} /> : <DisableForm totp={totp} reread={reread} />)}
      </Resource>
    </section>
  );
}

/** A form that fits only one state. A conflict means that the state is another one by now: another tab or program has changed it. */
const useChange = (reread: Reread, send: (data: FormData) => Promise<void>): FormState =>
  useForm((data) =>
    send(data).catch((error: unknown) => {
      const { status, message } = problemOf(error);
      if (status !== 409) throw error;
      reread(`${message}. The page now shows the current state.`);
    }),
  );

const codeIn = (data: FormData) => textOf(data, 'code').trim();

function EnableForm({ reread }: { reread: Reread }) {
  const offered = useSignal<Data<'/api/v1/auth/totp', 'post'> | null>(null);
  const begin = useChange(reread, async () => {
    offered.value = await call('post', '/api/v1/auth/totp');
  });
  const confirming = useChange(reread, async (data) => {
    const { message } = await call('post', '/api/v1/auth/totp/confirm', { body: { code: codeIn(data) } });
    reread(message);
  });
  if (offered.value === null)
    return (
      <Form form={begin} action="Set up an authenticator app" fields={[]}>
        <Facts facts={[['State', 'Disabled']]} />
        <p>With a second factor, a login needs a code of an authenticator app as well as the password.</p>
      </Form>
    );
  const cancel = (
    <button type="button" onClick={() => reread()}>
      Cancel
    </button>
  );
  return (
    <>
      <Offer {...offered.value} />
      <Form form={confirming} action="Enable" fields={['code']} more={cancel}>
        <TextField name="code" label="Code of the app" inputMode="numeric" autocomplete="one-time-code" required />
      </Form>
    </>
  );
}

function Offer({ secret, otpauth_url, recovery_codes }: Data<'/api/v1/auth/totp', 'post'>) {
  return (
    <>
      <Lead>
        Scan this code with your authenticator app. On the device with the app, <a href={otpauth_url}>open the app</a> instead.
      </Lead>
      <QrCode text={otpauth_url} label="QR code for the authenticator app. It contains the secret below." />
      <p>If you cannot scan it, enter this secret in the app:</p>
      <CopyBlock value={secret} label="the secret" />
      <p>Store these recovery codes. Each works once in place of a code; they are displayed only now.</p>
      <CopyBlock value={recovery_codes.join('\n')} label="the recovery codes" />
    </>
  );
}

function DisableForm({ totp, reread }: { totp: Schema<'TotpState'>; reread: Reread }) {
  const form = useChange(reread, async (data) => {
    const { message } = await call('delete', '/api/v1/auth/totp', { body: { code: codeIn(data) } });
    reread(message);
  });
  return (
    <>
      <Facts
        facts={[
          ['State', 'Enabled'],
          ['Since', <Time key="since" at={totp.enabled_at} />],
          ['Recovery codes left', String(totp.recovery_codes_left)],
        ]}
      />
      <p class="note">For new recovery codes, disable the second factor and set it up again.</p>
      <details>
        <summary>Disable the second factor</summary>
        <Form form={form} action="Disable" fields={['code']}>
          <TextField name="code" label="Code of the app, or a recovery code" autocomplete="one-time-code" required />
        </Form>
      </details>
    </>
  );
}
