import express, { type Router } from 'express';
import type { Config } from '../../models/settings/config.js';
import { mountOptions } from '../http/options.js';
import { guardPage } from './page-guard.js';
import type { Limiter } from '../http/rate-limit.js';

const path = '/.well-known/security.txt';
/** RFC 9116 §2.5.5 recommends less than a year. The date moves forward every day while the setting is present. */
const validDays = 180;
const dayMs = 86_400_000;

/** Serves security.txt (RFC 9116), the contact for vulnerability reports. Without the setting it is an unknown route. */
export function createSecurityTxt({ securityContact, publicUrl }: Pick<Config, 'securityContact' | 'publicUrl'>, limiter: Limiter): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  if (securityContact === undefined) return router;
  router.get(path, guardPage(limiter, path, ["default-src 'none'"]), (_req, res) => {
    const expires = new Date(Math.floor(Date.now() / dayMs + validDays) * dayMs).toISOString();
    const lines = [`Contact: ${securityContact}`, `Expires: ${expires}`, 'Preferred-Languages: en', `Canonical: ${publicUrl}${path}`];
    res.type('text/plain').send(`${lines.join('\n')}\n`);
  });
  mountOptions(router, [{ method: 'get', path }], limiter);
  return router;
}
