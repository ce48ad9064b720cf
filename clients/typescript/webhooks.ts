/** Verifies webhooks: the code of `verify/`, so that there is one implementation. Needs `node:crypto` (Node, Deno, Bun, Workers with nodejs_compat). */
export * from '../../verify/verify-webhook.js';
