/** The handle of the process with open streams. */
import { join } from 'node:path';
import { ask, startChild, stopChild } from '../stage/child.js';
import type { Cleanup } from '../stage/cleanup.js';
import type { Streams, ViewersCommand, ViewersFigures } from './viewers-process.js';

/** Opens the streams. `close` resolves to what they received. */
export async function openViewers(streams: Streams, cleanup: Cleanup): Promise<{ close(): Promise<ViewersFigures> }> {
  const child = startChild(join(import.meta.dirname, 'viewers-process.js'), cleanup);
  await ask(child, streams satisfies ViewersCommand);
  return {
    close: async () => {
      const figures = await ask<ViewersFigures>(child, 'figures' satisfies ViewersCommand);
      await stopChild(child);
      return figures;
    },
  };
}
