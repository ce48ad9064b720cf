/** What a button does. */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { toastProblem } from './toasts.js';

interface Actions {
  isBusy: ReadonlySignal<boolean>;
  /** The handler of a button: nothing happens while another one of them works, and failures appear as a notice. */
  run(work: () => Promise<void>): () => void;
}

/** Actions of a screen. One works at a time. */
export function useOneAtATime(): Actions {
  const isBusy = useSignal(false);
  const start = async (work: () => Promise<void>) => {
    if (isBusy.value) return;
    isBusy.value = true;
    await work().catch(toastProblem);
    isBusy.value = false;
  };
  return { isBusy, run: (work) => () => void start(work) };
}
