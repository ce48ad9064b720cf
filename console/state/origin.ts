/** The screen on which some work began, when its answer comes: the user may have left it by then. */
import { useLocation } from 'preact-iso';
import { useEffect, useRef } from 'preact/hooks';
import { isUnanswered } from '../api/problem.js';
import { noteButton } from './focus.js';
import { openWorkspace } from './session.js';
import { notifyProblem } from './notices.js';

export interface Origin {
  isLeft(): boolean;
  /** Shows another screen, unless the user has gone to one. */
  go(address: string, isReplaced?: boolean): void;
  /**
   * Says as a notice what went wrong, unless the session has ended: the next one may be that of another workspace.
   * @param unanswered what may have happened if there is no answer
   */
  tell(error: unknown, unanswered?: string): void;
}

/** @returns begins some work */
export function useOrigin(): () => Origin {
  const { route } = useLocation();
  const isShown = useRef(true);
  useEffect(() => () => void (isShown.current = false), []);
  return () => {
    noteButton();
    const { pathname } = location;
    const title = document.querySelector('h1')?.textContent ?? '';
    const workspaceId = openWorkspace()?.id;
    // A screen is still drawn while the one after it is loaded.
    const isLeft = () => !isShown.current || location.pathname !== pathname;
    return {
      isLeft,
      go: (address, isReplaced) => isLeft() || route(address, isReplaced),
      tell(error, unanswered) {
        if (openWorkspace()?.id !== workspaceId) return;
        notifyProblem(error, { place: isLeft() ? title : '', more: isUnanswered(error) ? unanswered : undefined });
      },
    };
  };
}
