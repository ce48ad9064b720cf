/** How far work of many steps is. */
import { numberText } from './count.js';

export function Progress({ done, of }: { done: number; of: number }) {
  const text = `${numberText(done)} of ${numberText(of)}`;
  return (
    <>
      <progress max={Math.max(of, 1)} value={done} aria-label={text} /> {text}
    </>
  );
}
