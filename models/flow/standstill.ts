/** Notes when this process stood still: it was stopped, its machine was paused, or its event loop was blocked. */

export interface StandstillWatch {
  /** Whether the process stood still until now, or until a moment ago: it may not have read yet what arrived meanwhile. */
  isRecent(): boolean;
  end(): void;
}

/** Begins to watch. The timer does not keep the process alive. @param ms it stood still if it did nothing for this time */
export function watchStandstill(ms: number): StandstillWatch {
  let lastAt = performance.now();
  let stoodUntil = Number.NEGATIVE_INFINITY;
  const note = () => {
    const now = performance.now();
    if (now - lastAt > ms) stoodUntil = now;
    lastAt = now;
  };
  const timer = setInterval(note, ms / 3).unref();
  return {
    isRecent: () => {
      note();
      return lastAt - stoodUntil < ms;
    },
    end: () => clearInterval(timer),
  };
}
