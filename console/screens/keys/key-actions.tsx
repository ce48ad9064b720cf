/** Rotate or revoke a key. */
import { call } from '../../api/call.js';
import { momentText } from '../../parts/time.js';
import { useOneAtATime } from '../../state/actions.js';
import { confirm } from '../../state/confirm.js';
import { notify } from '../../state/notices.js';
import { hasExpired, type Key, type Rotated } from './key.js';

const overlapHours = 24;

interface Props {
  apiKey: Key;
  /** Shows the key that replaces it. */
  show(key: Promise<Rotated>): Promise<unknown>;
  changed(): void;
}

/** A rotation does not prolong the life of the current value. */
const endOf = ({ expires_at }: Key): string =>
  expires_at !== null && Date.parse(expires_at) < Date.now() + overlapHours * 3_600_000
    ? `until ${momentText(expires_at)}`
    : `for ${overlapHours} more hours`;

/** What tells a key from others with its name, such as the one that replaces it: its prefix, and its end if it has one. */
function marksOf(key: Key): string {
  if (key.expires_at === null) return key.key_prefix;
  return `${key.key_prefix}, ${hasExpired(key) ? 'expired' : 'until'} ${momentText(key.expires_at)}`;
}

export function KeyActions({ apiKey, show, changed }: Props) {
  const { id, name, key_prefix: prefix } = apiKey;
  const marks = marksOf(apiKey);
  const { isBusy, run } = useOneAtATime();
  const rotate = run(async () => {
    const text = `"${name}" (${prefix}) gets a new value, and the current one works ${endOf(apiKey)}.`;
    if (!(await confirm({ title: 'Rotate this key?', text, action: 'Rotate the key' }))) return;
    const body = { overlap_hours: overlapHours };
    const rotated = call('post', '/api/v1/api-keys/{id}/rotate', { params: { id }, body });
    await show(rotated.then(({ key, key_prefix }) => ({ name, key_prefix, key, former: prefix }))).finally(changed);
  }, `"${name}" may have been rotated. Look at the list before you try again.`);
  const revoke = run(async () => {
    const text = `Programs that use "${name}" (${marks}) are refused from now on. A revoked key cannot be activated again.`;
    if (!(await confirm({ title: 'Revoke this key?', text, action: 'Revoke the key' }))) return;
    const { message } = await call('delete', '/api/v1/api-keys/{id}', { params: { id } });
    notify(message);
    changed();
  });
  return (
    <span class="actions">
      {!hasExpired(apiKey) && (
        <button type="button" aria-label={`Rotate ${name} ${marks}`} aria-disabled={isBusy.value} onClick={rotate}>
          Rotate
        </button>
      )}
      <button type="button" class="danger" aria-label={`Revoke ${name} ${marks}`} aria-disabled={isBusy.value} onClick={revoke}>
        Revoke
      </button>
    </span>
  );
}
