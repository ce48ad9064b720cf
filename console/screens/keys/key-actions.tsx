/** Rotate or revoke a key. */
import { call } from '../../api/call.js';
import { useOneAtATime } from '../../state/actions.js';
import { confirm } from '../../state/confirm.js';
import { toast } from '../../state/toasts.js';
import type { Key } from './key.js';

interface Props {
  apiKey: Key;
  /** Gets the value of the key that replaces it. */
  rotated(key: string): void;
  changed(): void;
}

export function KeyActions({ apiKey: { id, name }, rotated, changed }: Props) {
  const { isBusy, run } = useOneAtATime();
  const rotate = run(async () => {
    const text = `"${name}" gets a new value, and the present one works for 24 more hours.`;
    if (!(await confirm({ title: 'Rotate this key?', text, action: 'Rotate the key' }))) return;
    const { key } = await call('post', '/api/v1/api-keys/{id}/rotate', { params: { id }, body: { overlap_hours: 24 } });
    rotated(key);
    changed();
  });
  const revoke = run(async () => {
    const text = `Programs that use "${name}" are refused from now on. A revoked key cannot be activated again.`;
    if (!(await confirm({ title: 'Revoke this key?', text, action: 'Revoke the key' }))) return;
    const { message } = await call('delete', '/api/v1/api-keys/{id}', { params: { id } });
    toast(message);
    changed();
  });
  return (
    <span class="actions">
      <button type="button" aria-label={`Rotate ${name}`} aria-disabled={isBusy.value} onClick={rotate}>
        Rotate
      </button>
      <button type="button" class="danger" aria-label={`Revoke ${name}`} aria-disabled={isBusy.value} onClick={revoke}>
        Revoke
      </button>
    </span>
  );
}
