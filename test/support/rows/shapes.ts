/** Configurations of the service in which the tests must pass. */

/** Every message and every event has its own workflow. */
export const literalShape: NodeJS.ProcessEnv = { ACCEPT_GROUP_MAX: '1', WEBHOOK_FIRST_ATTEMPT: 'child' };

/** Runs a suite in the default configuration and in the literal one. @param suite gets the settings */
export function describeInShapes(title: string, suite: (env: NodeJS.ProcessEnv) => void): void {
  describe(title, () => suite({}));
  describe(`${title}, each with a workflow of its own`, () => suite(literalShape));
}
