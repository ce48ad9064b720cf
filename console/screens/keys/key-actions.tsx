/** Rotate or revoke a key. */
import { useSignal } from '@preact/signals';
import { call } from '../../api/call.js';
import { CopyBlock } from '../../parts/copy.js';
import { useOneAtATime } from '../../state/actions.js';
import { confirm } from '../../state/confirm.js';
import { toast } from '../../state/toasts.js';
import type { Key } from './key.js';

export function KeyActions({ apiKey: { id, name }, changed }: { apiKey: Key; changed(): void }) {
  const rotated = useSignal<string | null>(null);
  const { run } = useOneAtATime();
  const rotate = run(async () => {
    const text = `"${name}" gets a new value, and the present one works for 24 more hours.`;
    if (!(await confirm({ title: 'Rotate this key?', text, action: 'Rotate the key' }))) return;
    const { key } = await call('post', '/api/v1/api-keys/{id}/rotate', { params: { id }, body: { overlap_hours: 24 } });
    rotated.value = key;
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
    <>
      <span class="actions">
        <button type="button" aria-label={`Rotate ${name}`} onClick={rotate}>
          Rotate
        </button>
        <button type="button" class="danger" aria-label={`Revoke ${name}`} onClick={revoke}>
          Revoke
        </button>
      </span>
      {rotated.value !== null && (
        <div role="status">
          <p>Store the new key now: it is displayed only once.</p>
          <CopyBlock value={rotated.value} label={`the new key of ${name}`} />
        </div>
      )}
    </>
  );
}
