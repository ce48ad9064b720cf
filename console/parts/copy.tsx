/** Blocks of code, and values to copy. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

function Copy({ value, label }: { value: string; label: string }) {
  const outcome = useSignal('');
  const copy = async () => {
    try {
      // Without TLS, browsers have no clipboard.
      await navigator.clipboard.writeText(value);
      outcome.value = 'Copied';
    } catch {
      outcome.value = 'Select the text to copy it';
    }
  };
  return (
    <span class="copy">
      <button type="button" aria-label={`Copy ${label}`} onClick={() => void copy()}>
        Copy
      </button>
      <span role="status">{outcome.value}</span>
    </span>
  );
}

/**
 * A block of code. If it is long it scrolls by itself, so that it must be reachable by keyboard.
 * @param label what it is; no other part of the screen has this name
 */
export function Code({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <pre role="region" aria-label={label} tabIndex={0}>
      <code>{children}</code>
    </pre>
  );
}

/** A short value in a line, such as an id. */
export const CopyValue = ({ value, label }: { value: string; label: string }) => (
  <span class="copy">
    <code>{value}</code>
    <Copy key={value} value={value} label={label} />
  </span>
);

/** Text to copy, such as a secret or code. */
export function CopyBlock({ value, label }: { value: string; label: string }) {
  return (
    <div class="copy-block">
      <Code label={label}>{value}</Code>
      <Copy key={value} value={value} label={label} />
    </div>
  );
}
