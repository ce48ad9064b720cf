/** The frame of one screen: its heading, and the title of the page. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

interface Props {
  title: string;
  /** What tells it from other screens with its title, where the browser lists pages. */
  subject?: string | null | undefined;
  /** Beside the heading. */
  actions?: ComponentChildren;
  children: ComponentChildren;
}

/** It names the main part of the page. */
export const headingId = 'heading';

/** The link to what is most often done next. */
export const MainLink = ({ href, children }: { href: string; children: ComponentChildren }) => (
  <a class="button primary" href={href}>
    {children}
  </a>
);

export function Screen({ title, subject, actions, children }: Props) {
  // Before the main part, which the heading names, gets the focus.
  useLayoutEffect(() => {
    document.title = [subject, title, 'Tidings console'].filter(Boolean).join(' – ');
  }, [title, subject]);
  return (
    <>
      <header class="heading">
        <h1 id={headingId}>{title}</h1>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}
