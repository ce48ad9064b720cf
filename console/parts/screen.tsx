/** The frame of one screen: its heading, and the title of the page. */
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';

interface Props {
  title: string;
  /** Beside the heading. */
  actions?: ComponentChildren;
  children: ComponentChildren;
}

export function Screen({ title, actions, children }: Props) {
  useEffect(() => {
    document.title = `${title} – Tidings console`;
  }, [title]);
  return (
    <>
      <header class="heading">
        <h1>{title}</h1>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}
