/** The main part of a page: the screen at the address. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren, ComponentProps } from 'preact';
import { Router } from 'preact-iso';
import { useRef } from 'preact/hooks';
import { headingId } from '../parts/screen.js';
import { useKeptFocus } from '../state/focus.js';

interface MainProps {
  /** Shown above every screen. */
  banner?: ComponentChildren;
  class?: string;
  /** Called when another screen is shown. */
  onMoved?: () => void;
  /** The routes of the screens. */
  children: NonNullable<ComponentProps<typeof Router>['children']>;
}

/** Keeps the previous screen, dimmed and busy, until the next one is loaded: what is typed into it would be lost. */
export function Main({ banner, class: className, onMoved, children }: MainProps) {
  const main = useRef<HTMLElement>(null);
  const isLoading = useSignal(false);
  useKeptFocus(main);
  // Filters and pages of a list are no route change: they keep the focus.
  const moved = () => {
    main.current?.focus();
    onMoved?.();
  };
  return (
    <main id="main" ref={main} tabIndex={-1} aria-labelledby={headingId} aria-busy={isLoading} class={className}>
      {banner}
      <Router onRouteChange={moved} onLoadStart={() => (isLoading.value = true)} onLoadEnd={() => (isLoading.value = false)}>
        {children}
      </Router>
    </main>
  );
}
