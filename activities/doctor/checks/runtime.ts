import { statfs } from 'node:fs/promises';
import { outdatedRuntime } from '../../../models/process/runtime.js';
import { type Check, failed, type Finding, ok, warning } from '../check.js';

const gigabyte = 1024 ** 3;
/** Below this, logs and mails of a busy day may not fit. */
const freeWarning = 2 * gigabyte;
const freeFailed = gigabyte / 5;

/** The version of Node, and the disk of DATA_DIR. */
export const runtimeCheck: Check = {
  subject: 'disk of DATA_DIR',
  fix: 'Set DATA_DIR to a folder that exists and that the program may write to',
  async run({ config }) {
    const { bavail, bsize } = await statfs(config.dataDir);
    return [nodeFinding(), diskFinding(bavail * bsize)];
  },
};

function nodeFinding(): Finding {
  const outdated = outdatedRuntime(process.version);
  return outdated === undefined ? ok('Node', process.version) : warning('Node', outdated, 'Run the program on Node 24, as the image does');
}

/** @param free bytes */
export function diskFinding(free: number): Finding {
  const detail = `${(free / gigabyte).toFixed(1)} GB free`;
  const fix = 'Free some space. When the disk is full, log lines and mails in files are lost';
  if (free < freeFailed) return failed('disk of DATA_DIR', detail, fix);
  return free < freeWarning ? warning('disk of DATA_DIR', detail, fix) : ok('disk of DATA_DIR', detail);
}
