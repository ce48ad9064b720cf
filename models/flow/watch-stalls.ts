/** Notes when this process stood still: it was stopped, its machine was paused, or its event loop was blocked. */

export interface StallWatch {
  /** Whether the process stood still until now, or until a moment ago: it may not have read yet what arrived meanwhile. */
  isRecent(): boolean;
  end(): void;
}

/** Begins to watch. The timer does not keep the process alive. @param ms it stood still if it did nothing for this time */
export function watchStalls(ms: number): StallWatch {
  let lastAt = performance.now();
  let stalledUntil = Number.NEGATIVE_INFINITY;
  const note = () => {
    const now = performance.now();
    if (now - lastAt > ms) stalledUntil = now;
    lastAt = now;
  };
  const timer = setInterval(note, ms / 3).unref();
  return {
    isRecent: () => {
      note();
      return lastAt - stalledUntil < ms;
    },
    end: () => clearInterval(timer),
  };
}
