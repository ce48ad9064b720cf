import type { Config } from '../../models/settings/config.js';
import type { Logger } from '../../models/process/logger.js';

/** Logs the channels that use the sandbox beside real carriers: perhaps their setting was forgotten. */
export function warnOfSandbox({ sandboxChannels, isSandboxOnly }: Pick<Config, 'sandboxChannels' | 'isSandboxOnly'>, logger: Logger): void {
  if (isSandboxOnly) return;
  for (const channel of sandboxChannels)
    logger.warn({ channel }, 'the channel uses the sandbox beside real carriers: its messages are charged and delivered to nobody');
}
