/** `DATA_DIR/demo.json`: credentials of the demo workspace, and of the workspace that `npm run demo` made. */
import { join } from 'node:path';
import { readState, writeState } from '../plan/state-file.js';

export interface DemoState {
  /** the workspace that the first start makes; its key is in the printed curl */
  email: string;
  password: string;
  api_key: string;
  /** the workspace of the last `npm run demo`, used again when signup is rate limited */
  story?: { email: string; password: string; token: string };
}

const pathIn = (dataDir: string) => join(dataDir, 'demo.json');

export const readDemoState = (dataDir: string) => readState<DemoState>(pathIn(dataDir));
export const writeDemoState = (dataDir: string, state: DemoState) => writeState(pathIn(dataDir), state);
