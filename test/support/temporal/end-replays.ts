import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared.js';

/**
 * A hook for tests that replay histories. The SDK replays them in this thread, and watches each promise of the process from then on, which
 * took a twentieth of the CPU of the test files that follow.
 */
export function endReplays(): void {
  globalHandlers.uninstall();
}
