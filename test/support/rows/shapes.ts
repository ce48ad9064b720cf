/** The shapes in which the service may run: what is promised holds in each. */

/** Every message and every event has a workflow of its own. */
export const literalShape: NodeJS.ProcessEnv = { ACCEPT_GROUP_MAX: '1', WEBHOOK_FIRST_ATTEMPT: 'child' };

/** A suite in the usual shape and in the literal one. @param suite gets the settings of the shape */
export function describeInShapes(title: string, suite: (env: NodeJS.ProcessEnv) => void): void {
  describe(title, () => suite({}));
  describe(`${title}, each with a workflow of its own`, () => suite(literalShape));
}
