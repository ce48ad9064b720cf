/** Handshakes of providers: before they post reports they verify that we own the address. The response is plain text, not JSON. */
import express, { type Router } from 'express';
import { invalidCallbackSignature } from '../../../models/errors.js';
import { answerMetaHandshake } from '../../../models/rules/callbacks/meta.js';
import type { Deps } from '../../deps.js';
import { addressKey } from '../../http/client-address.js';
import { contextOf } from '../../http/request-context.js';

const path = '/callbacks/:provider';

/** `GET /callbacks/<name>`, for the accounts of providers with a handshake. For other accounts it is an unknown route. */
export function createHandshakes({ config, limiter }: Pick<Deps, 'config' | 'limiter'>): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const accounts = new Map(config.accounts.flatMap((account) => (account.kind === 'meta' ? [[account.name, account]] : [])));
  router.get(path, async (req, res, next) => {
    const account = accounts.get(req.params.provider);
    if (account === undefined) return next();
    const context = contextOf(res);
    context.route = path;
    await limiter.consume({ rateClass: 'callback', key: addressKey(context.address) }, res);
    const answer = answerMetaHandshake(account, new URL(req.originalUrl, config.publicUrl).searchParams);
    if (answer === null) throw invalidCallbackSignature();
    res.type('text/plain').send(answer);
  });
  return router;
}
