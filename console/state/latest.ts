import { useRef } from 'preact/hooks';

/** The value of the last render, for callbacks that an earlier render registered. */
export function useLatest<T>(value: T): { readonly current: T } {
  const latest = useRef(value);
  latest.current = value;
  return latest;
}
