/** The version of the client, which its requests name. */

/** That of package.json, as a test demands: here, because a bundle has no package.json. */
export const version = '1.0.0';

/** Such as `tidings-client/1.0.0 (Node.js/22)`. Undefined in browsers, which have names of their own. */
export function userAgent(navigator: unknown = (globalThis as { navigator?: unknown }).navigator): string | undefined {
  const { userAgent: runtime } = Object(navigator) as { userAgent?: unknown };
  if (typeof runtime !== 'string') return `tidings-client/${version} (JavaScript)`; // Node 20
  return runtime.startsWith('Mozilla/') ? undefined : `tidings-client/${version} (${runtime})`;
}
