/** The API of a `describe`: started before its tests, closed after them. */
import type { Temporal } from '../../api/outside/temporal.js';
import { assertBooks } from '../../harness/checks/invariants.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { startApp, type TestApp } from './start-app.js';

export interface ApiOptions {
  /** Settings over those of `testEnv`; a function is called at each start. */
  env?: NodeJS.ProcessEnv | (() => NodeJS.ProcessEnv);
  /** Overrides what the Temporal of the tests does. */
  temporal?: Partial<Temporal>;
  /** Starts an API with an empty database for each test, where tests change what others see. They leave the schema as it is. */
  forEachTest?: boolean;
  /** Compares balances with the ledger before the API is closed. */
  checksBooks?: boolean;
}

/**
 * Call it first in a `describe`: hooks run in the order of their registration.
 * @returns the API, which can be used in tests and in later hooks
 */
export function useApi({ env = {}, temporal = {}, forEachTest = false, checksBooks = false }: ApiOptions = {}): TestApp {
  let app: TestApp | undefined;
  let database: TestDatabase | undefined;
  const start = async () => {
    database = database === undefined ? await freshDatabase() : await database.renew();
    app = await startApp(typeof env === 'function' ? env() : env, { temporal, database });
  };
  const close = async () => {
    const closing = app;
    app = undefined;
    if (closing !== undefined) await closeApp(closing, checksBooks); // else it did not start
  };
  if (forEachTest) {
    beforeEach(start);
    afterEach(close);
  } else {
    before(start);
    after(close);
  }
  after(() => database?.drop());
  const running = () => {
    if (app === undefined) throw new Error('the API runs only in tests and hooks');
    return app;
  };
  return {
    get url() {
      return running().url;
    },
    get deps() {
      return running().deps;
    },
    get calls() {
      return running().calls;
    },
    call: (method, path, options) => running().call(method, path, options),
    account: (options) => running().account(options),
    close,
  };
}

/**
 * For tests that start APIs themselves, each with its own settings. The models belong to the API that was started last.
 * @returns how they start; what a test started is closed after it
 */
export function useApiStarts({ checksBooks = false }: Pick<ApiOptions, 'checksBooks'> = {}): typeof startApp {
  let started: TestApp[] = [];
  afterEach(async () => {
    const closing = started;
    started = [];
    for (const app of closing) await closeApp(app, checksBooks);
  });
  return async (...options) => {
    const app = await startApp(...options);
    started.push(app);
    return app;
  };
}

async function closeApp(app: TestApp, checksBooks: boolean): Promise<void> {
  try {
    if (checksBooks) await assertBooks(app.deps.db);
  } finally {
    await app.close();
  }
}
