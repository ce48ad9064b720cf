/** Redis and the mail server. */
import { openRedis } from '../../../models/network/open-redis.js';
import { createRedisProbe } from '../../../models/network/redis-probe.js';
import { domainOf } from '../../../models/rules/values/email.js';
import { isOnThisMachine, mailTransport } from '../../support/mail-transport.js';
import { type Check, type CheckDeps, type Finding, ok, skipped, warning } from '../check.js';

export const redisCheck: Check = {
  subject: 'Redis',
  fix: 'Check REDIS_URL: a single server, not a cluster. Without Redis each API process counts requests for itself',
  async run({ config: { redisUrl } }) {
    if (redisUrl === undefined) return [skipped('Redis', 'REDIS_URL is not set: each API process counts requests for itself')];
    const redis = openRedis(redisUrl, { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null });
    let reason: Error | undefined; // why it cannot be connected; the failed call says only that the connection is closed
    redis.on('error', (error: Error) => (reason = error));
    try {
      await redis.connect().catch((error: unknown) => {
        throw reason ?? error;
      });
      // A server that is full, or a replica after a failover, answers and refuses writes; an access list may permit no scripts.
      await createRedisProbe(redis)();
      const policy = await redis.config('GET', 'maxmemory-policy').then(
        (pair) => (pair as string[])[1] ?? '',
        () => '',
      );
      return [policyFinding(policy)];
    } finally {
      redis.disconnect();
    }
  },
};

/** @param policy empty if the server does not report it */
export function policyFinding(policy: string): Finding {
  if (policy === '' || policy === 'noeviction' || policy.startsWith('volatile-')) return ok('Redis', 'answers');
  return warning('Redis', `evicts counters of limits (maxmemory-policy ${policy})`, 'Set maxmemory-policy to noeviction or volatile-ttl');
}

export const mailCheck: Check = {
  subject: 'account mails',
  fix: 'Check SMTP_URL: host, port, user, password and TLS',
  async run({ config }) {
    const { smtpUrl, publicUrl } = config;
    if (smtpUrl === undefined) return [mailsToFiles(publicUrl)];
    const transport = mailTransport(smtpUrl, config);
    try {
      await transport.verify();
      return [isFromNobody(config) ? mailsFromNobody : ok('account mails', 'the mail server accepts the connection and the login')];
    } finally {
      transport.close();
    }
  },
};

/** Whether a server on another machine, which delivers mails to others, gets them from the address that MAIL_FROM has by default. */
const isFromNobody = ({ smtpUrl = '', mailFrom }: CheckDeps['config']) =>
  domainOf(mailFrom).endsWith('.invalid') && !isOnThisMachine(new URL(smtpUrl).hostname);

const mailsFromNobody = warning(
  'account mails',
  'MAIL_FROM is not set: mail servers refuse mails from a domain that does not exist',
  'Set MAIL_FROM to an address that the server of SMTP_URL may send from',
);

function mailsToFiles(publicUrl: string): Finding {
  if (!publicUrl.startsWith('https:')) return skipped('account mails', 'SMTP_URL is not set: mails are written to DATA_DIR/mail');
  return warning('account mails', 'SMTP_URL is not set: nobody gets the mails that confirm addresses and reset passwords', 'Set SMTP_URL');
}
