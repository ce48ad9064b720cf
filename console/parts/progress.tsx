/** How far work of many steps is. */
export function Progress({ done, of }: { done: number; of: number }) {
  const text = `${done.toLocaleString()} of ${of.toLocaleString()}`;
  return (
    <>
      <progress max={Math.max(of, 1)} value={done} aria-label={text} /> {text}
    </>
  );
}
