/** What a button does. */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { type Origin, useOrigin } from './origin.js';

interface Actions {
  isBusy: ReadonlySignal<boolean>;
  /**
   * The handler of a button: nothing happens while another one of them works, and failures appear as a notice.
   * @param unanswered what may have happened if there is no answer, where it must not happen twice
   */
  run(work: (origin: Origin) => Promise<void>, unanswered?: string): () => void;
}

/** Actions of a screen. One works at a time. */
export function useOneAtATime(): Actions {
  const isBusy = useSignal(false);
  const begin = useOrigin();
  const start = async (...[work, unanswered]: Parameters<Actions['run']>) => {
    if (isBusy.value) return;
    isBusy.value = true;
    const origin = begin();
    await work(origin).catch((error: unknown) => origin.tell(error, unanswered));
    isBusy.value = false;
  };
  return { isBusy, run: (work, unanswered) => () => void start(work, unanswered) };
}
