/** Configurations of the service in which the tests must pass. */

/** Every message and every event has its own workflow. */
export const literalShape: NodeJS.ProcessEnv = { ACCEPT_GROUP_MAX: '1', WEBHOOK_FIRST_ATTEMPT: 'child' };

/**
 * Runs a suite in the default configuration and in the literal one.
 * @param suite gets the settings, and an end for its titles by which the two differ
 */
export function describeInShapes(title: string, suite: (env: NodeJS.ProcessEnv, shape: string) => void): void {
  describe(title, () => suite({}, ''));
  describe(`${title}, each with a workflow of its own`, () => suite(literalShape, ' (each with a workflow of its own)'));
}
