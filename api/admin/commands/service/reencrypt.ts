import { reencryptTotp } from '../../../../models/operations/accounts/reencrypt-totp.js';
import { reencryptErasureKey } from '../../../../models/operations/erasure/erasure-key.js';
import { reencryptSecrets } from '../../../../models/operations/webhooks/reencrypt-secrets.js';
import { countText } from '../../../../models/rules/values/text.js';
import type { Command } from '../../command.js';

export const reencryptCommand: Command = {
  name: 'reencrypt',
  takes: [],
  summary:
    'Encrypt all stored secrets with the present SECRET_KEY. API keys and links in mails that were made with a former key still need it in SECRET_KEYS_OLD.',
  async run(_given, { db, config: { secretKeys } }) {
    const webhooks = await reencryptSecrets(db, secretKeys);
    const erasureKey = await reencryptErasureKey(db, secretKeys);
    const totp = await reencryptTotp(db, secretKeys);
    const lines = [
      `${countText(webhooks.webhooks, 'webhook')}: ${webhooks.reencrypted} re-encrypted, ${webhooks.unreadable.length} that no key opens.`,
    ];
    if (totp.secrets > 0) {
      lines.push(
        `${countText(totp.secrets, 'TOTP secret')}: ${totp.reencrypted} re-encrypted, ${totp.unreadable.length} that no key opens.`,
      );
    }
    lines.push(...webhooks.unreadable.map((id) => `No key opens the secret of webhook ${id}.`));
    lines.push(...totp.unreadable.map((id) => `No key opens the TOTP secret of workspace ${id}.`));
    if (erasureKey === null) {
      lines.push('No key opens the key of the erasures: erasures fail until SECRET_KEYS_OLD has the key that made it.');
    }
    const ok = webhooks.unreadable.length + totp.unreadable.length === 0 && erasureKey !== null;
    const data = { webhooks, totp, erasure_key: { reencrypted: erasureKey === true, unreadable: erasureKey === null } };
    return { ok, isReport: true, text: lines.join('\n'), data };
  },
};
