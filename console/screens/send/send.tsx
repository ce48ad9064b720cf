/** Send one message, with its real text, segments and price before. */
import { type Signal, useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso';
import { useEffect, useRef } from 'preact/hooks';
import { call } from '../../api/call.js';
import { isUnanswered } from '../../api/problem.js';
import { to } from '../../api/base.js';
import { CheckField } from '../../parts/check-boxes.js';
import { Form, TextField } from '../../parts/form.js';
import { Resource } from '../../parts/loaded.js';
import { traitsOf } from '../../parts/channels.js';
import { assertAhead, ChannelField, phoneHint, SendAtField } from '../../parts/message-fields.js';
import { Screen } from '../../parts/screen.js';
import { TextArea } from '../../parts/text-area.js';
import { useForm } from '../../state/form.js';
import { useKeptSignal } from '../../state/kept.js';
import { useLoad } from '../../state/load.js';
import { refreshSoon } from '../../state/session.js';
import { notify } from '../../state/notices.js';
import { type Body, bodyOf, type Draft, draftFrom, draftOf, fields } from './draft.js';
import { Preview } from './preview.js';
import { usePreview } from './use-preview.js';

export function Send() {
  const { query } = useLocation();
  const { copy } = query;
  const draft = useLoad<Draft>(JSON.stringify(query), async (signal) => {
    if (copy === undefined) return draftFrom(query);
    const { message } = await call('get', '/api/v1/messages/{id}', { params: { id: copy }, signal });
    return draftOf(message);
  });
  return (
    <Screen
      title="Send a message"
      actions={
        <a class="button" href={to('batches/new')}>
          Create a batch
        </a>
      }
    >
      <Resource of={draft}>{(shown) => <SendForm key={JSON.stringify(query)} draft={shown} isCopy={copy !== undefined} />}</Resource>
    </Screen>
  );
}

/** Sends what the form has, and shows the message. */
function useSending(bodyOfForm: (data: FormData) => Body) {
  // Content without an answer → its key. It is sent at most once, however often the button is pressed or the network fails.
  const keys = useKeptSignal<Readonly<Record<string, string>>>('sent', {});
  return useForm(async (data, _form, origin) => {
    const body = bodyOfForm(data);
    const content = JSON.stringify(body);
    const unanswered = keys.value[content];
    // A message without an answer may have been accepted before its time.
    if (unanswered === undefined) assertAhead(body.scheduled_at);
    const idempotencyKey = unanswered ?? crypto.randomUUID();
    keys.value = { ...keys.value, [content]: idempotencyKey };
    const { message } = await call('post', '/api/v1/messages/send', { body, idempotencyKey }).catch((error: unknown) => {
      if (unanswered === undefined && !isUnanswered(error)) keys.value = without(keys.value, content);
      throw error;
    });
    refreshSoon();
    if (origin.isLeft()) notify('Message accepted.');
    origin.go(to(`messages/${message.id}`));
  }, 'It is not known whether the message was accepted. Look for it among the messages before you write it again.');
}

const without = (keys: Readonly<Record<string, string>>, content: string) =>
  Object.fromEntries(Object.entries(keys).filter(([each]) => each !== content));

function SendForm({ draft, isCopy }: { draft: Draft; isCopy: boolean }) {
  const channel = useSignal(draft.channel);
  const body = (data: FormData) => bodyOf(data, draft.copied);
  const form = useSending(body);
  const preview = usePreview(body);
  const element = useRef<HTMLDivElement>(null);
  // A copy has its price before anything is written.
  useEffect(() => {
    if (draft.to !== '' && draft['content.text'] !== '') preview.read(element.current?.querySelector('form') ?? null);
  }, []);
  return (
    <div class="columns" ref={element} onInput={(event) => preview.read((event.target as HTMLElement).closest('form'))}>
      <Form
        form={form}
        action="Send"
        fields={fields}
        more={
          isCopy && (
            <span class="note">This sends a new message, which costs credits. It has the recipient and the content of the first one.</span>
          )
        }
      >
        <SendFields draft={draft} channel={channel} />
        {isUnanswered(form.problem.value) && (
          <p>You can also press the button again: the message is sent once, as long as nothing is changed.</p>
        )}
      </Form>
      <Preview of={preview} />
    </div>
  );
}

function SendFields({ draft, channel }: { draft: Draft; channel: Signal<string> }) {
  const { address, hasMailFields } = traitsOf(channel.value);
  const isEmail = address === 'email';
  return (
    <>
      <ChannelField channel={channel} />
      <TextField
        name="to"
        label="To"
        type={isEmail ? 'email' : 'tel'}
        hint={isEmail ? 'An e-mail address' : phoneHint}
        defaultValue={draft.to}
        autocomplete="off"
        required
      />
      {hasMailFields && <TextField name="content.subject" label="Subject" defaultValue={draft['content.subject']} />}
      <TextArea name="content.text" label="Text" value={draft['content.text']} rows={5} isRequired />
      {hasMailFields && <TextArea name="content.html" label="HTML (optional)" value={draft['content.html']} rows={4} />}
      {channel.value === draft.channel && <CopiedFields copied={draft.copied} />}
      <TextField
        name="reference"
        label="Reference (optional)"
        hint="Your own name for it, for example an order number"
        defaultValue={draft.reference}
      />
      <SendAtField />
    </>
  );
}

/** What a copy takes over without a field: its sender sees it, and can leave it out. */
function CopiedFields({ copied: { template, unsubscribe } }: Pick<Draft, 'copied'>) {
  return (
    <>
      {template !== undefined && (
        <CheckField name="content.template" isOn>
          {`Send the template ${template.name} (${template.language}) instead of the text`}
        </CheckField>
      )}
      {unsubscribe === true && (
        <CheckField name="content.unsubscribe" isOn>
          Offer to unsubscribe with one click
        </CheckField>
      )}
    </>
  );
}
