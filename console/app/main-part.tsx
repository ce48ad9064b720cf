/** The main part of a page: the screen at the address. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren, ComponentProps } from 'preact';
import { Router } from 'preact-iso';
import { useRef } from 'preact/hooks';

interface MainProps {
  /** What stands above every screen. */
  notice?: ComponentChildren;
  class?: string;
  /** Called when another screen is shown. */
  onMoved?: () => void;
  /** The routes of the screens. */
  children: NonNullable<ComponentProps<typeof Router>['children']>;
}

/** Shows the screen before until the next one is loaded, dimmed and busy: what is typed until then is lost. */
export function Main({ notice, class: className, onMoved, children }: MainProps) {
  const main = useRef<HTMLElement>(null);
  const isLoading = useSignal(false);
  // It is not called for a filter or another page of a list, which do not take the focus.
  const moved = () => {
    main.current?.focus();
    onMoved?.();
  };
  return (
    <main id="main" ref={main} tabIndex={-1} aria-busy={isLoading} class={className}>
      {notice}
      <Router onRouteChange={moved} onLoadStart={() => (isLoading.value = true)} onLoadEnd={() => (isLoading.value = false)}>
        {children}
      </Router>
    </main>
  );
}
