/** Values that the service displays only once: keys and secrets. */
import { type ReadonlySignal, useComputed, useSignal } from '@preact/signals';
import { useLeaveQuestion } from './leave.js';
import { useOrigin } from './origin.js';
import { notifyLasting } from './notices.js';

interface ShownOnce<T> {
  /** What the user has not stored yet. */
  values: ReadonlySignal<readonly T[]>;
  /** Waits for a value, and shows it. */
  show(value: Promise<T>): Promise<T>;
  /** The user has stored all of them. */
  stored(): void;
}

/**
 * Asks before the screen is left while a value is awaited or shown.
 * @param name of the value: "key"
 * @param missed what is said when the screen was left all the same before the value came
 */
export function useShownOnce<T>(name: string, missed: string): ShownOnce<T> {
  const values = useSignal<readonly T[]>([]);
  const awaited = useSignal(0);
  useLeaveQuestion(
    useComputed(() => awaited.value > 0 || values.value.length > 0),
    {
      title: `Leave without the ${name}?`,
      text: `The ${name} is displayed only once. Without it you need a new one.`,
      action: 'Leave without it',
    },
  );
  const begin = useOrigin();
  const show = async (value: Promise<T>): Promise<T> => {
    const origin = begin();
    awaited.value += 1;
    try {
      const shown = await value;
      values.value = [...values.value, shown];
      if (origin.isLeft()) notifyLasting(missed);
      return shown;
    } finally {
      awaited.value -= 1;
    }
  };
  return { values, show, stored: () => (values.value = []) };
}
