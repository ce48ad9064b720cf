/** `DATA_DIR/demo.json`: the credentials of the demo workspace, and of the workspace that `npm run demo` created. */
import { join } from 'node:path';
import { readState, writeState } from '../state/state-file.js';

export interface DemoState {
  /** The workspace that the first start creates. The printed curl command contains its key. */
  email: string;
  password: string;
  api_key: string;
  /** The workspace of the last `npm run demo`, used again if signup is rate limited, or refused because of SIGNUP. */
  story?: { email: string; password: string; token: string };
}

const pathIn = (dataDir: string) => join(dataDir, 'demo.json');

export const readDemoState = (dataDir: string) => readState<DemoState>(pathIn(dataDir));
export const writeDemoState = (dataDir: string, state: DemoState) => writeState(pathIn(dataDir), state);
