/** A value with a button that copies it. */
import { useSignal } from '@preact/signals';

function Copy({ value, label }: { value: string; label: string }) {
  const outcome = useSignal('');
  const copy = () =>
    navigator.clipboard.writeText(value).then(
      () => (outcome.value = 'Copied'),
      () => (outcome.value = 'Select the text to copy it'),
    );
  return (
    <span class="copy">
      <button type="button" aria-label={`Copy ${label}`} onClick={() => void copy()}>
        Copy
      </button>
      <span role="status">{outcome.value}</span>
    </span>
  );
}

/** Text to copy, such as a secret or code. */
export function CopyBlock({ value, label }: { value: string; label: string }) {
  return (
    <div class="copy-block">
      <pre role="region" aria-label={label} tabIndex={0}>
        <code>{value}</code>
      </pre>
      <Copy value={value} label={label} />
    </div>
  );
}
