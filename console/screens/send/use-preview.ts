/** The preview of what is written, read while the writer pauses. */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { call, type Schema } from '../../api/call.js';
import { type Problem, problemOf } from '../../api/problem.js';
import type { Body } from './draft.js';

export interface PreviewState {
  data: ReadonlySignal<Schema<'PreviewData'> | null>;
  problem: ReadonlySignal<Problem | null>;
  /** What is shown belongs to an earlier text. */
  isDue: ReadonlySignal<boolean>;
  /** Reads the preview of a form soon. */
  read(form: HTMLFormElement | null): void;
}

/** The pause, and the time between two requests: they count for the rate limit of the workspace. */
const pauseMs = 400;
const everyMs = 1_200;

/** @param bodyOf what the form would send */
export function usePreview(bodyOf: (data: FormData) => Body): PreviewState {
  const data = useSignal<Schema<'PreviewData'> | null>(null);
  const problem = useSignal<Problem | null>(null);
  const isDue = useSignal(false);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const readAt = useRef(-everyMs);
  const latest = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);

  const readNow = async (form: HTMLFormElement) => {
    const body = bodyOf(new FormData(form));
    const number = (latest.current += 1);
    // Without a text there is nothing to count, and the fault is known.
    if (body.content.text === '' || body.to === '') return void (data.value = problem.value = null);
    readAt.current = performance.now();
    try {
      const answer = await call('post', '/api/v1/messages/preview', { body });
      if (number !== latest.current) return;
      data.value = answer;
      problem.value = null;
    } catch (error) {
      if (number === latest.current) problem.value = problemOf(error);
    }
  };
  return {
    data,
    problem,
    isDue,
    read(form) {
      if (form === null) return;
      isDue.value = true;
      clearTimeout(timer.current);
      const wait = Math.max(pauseMs, readAt.current + everyMs - performance.now());
      // Something may have been written since.
      const read = () => void readNow(form).then(() => due === timer.current && (isDue.value = false));
      const due = setTimeout(read, wait);
      timer.current = due;
    },
  };
}
