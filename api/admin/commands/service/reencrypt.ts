import { reencryptTotp } from '../../../../models/operations/accounts/reencrypt-totp.js';
import { reencryptErasureKey } from '../../../../models/operations/erasure/erasure-key.js';
import { reencryptSecrets } from '../../../../models/operations/webhooks/reencrypt-secrets.js';
import { countText } from '../../../../models/rules/values/text.js';
import type { Command } from '../../command.js';

const fix = 'add the SECRET_KEY that encrypted it to SECRET_KEYS_OLD';

export const reencryptCommand: Command = {
  name: 'reencrypt',
  takes: [],
  summary:
    'Encrypt all stored secrets with the current SECRET_KEY. API keys and links in mails that were created with a former key still need it in SECRET_KEYS_OLD.',
  async run(_given, { db, config: { secretKeys } }) {
    const webhooks = await reencryptSecrets(db, secretKeys);
    const erasureKey = await reencryptErasureKey(db, secretKeys);
    const totp = await reencryptTotp(db, secretKeys);
    const lines = [
      `${countText(webhooks.webhooks, 'webhook')}: ${webhooks.reencrypted} re-encrypted, ${webhooks.unreadable.length} cannot be decrypted.`,
    ];
    if (totp.secrets > 0) {
      lines.push(
        `${countText(totp.secrets, 'TOTP secret')}: ${totp.reencrypted} re-encrypted, ${totp.unreadable.length} cannot be decrypted.`,
      );
    }
    lines.push(...webhooks.unreadable.map((id) => `The secret of webhook ${id} cannot be decrypted: ${fix}.`));
    lines.push(...totp.unreadable.map((id) => `The TOTP secret of workspace ${id} cannot be decrypted: ${fix}.`));
    if (erasureKey === null) {
      lines.push('The erasure key cannot be decrypted: erasures fail until SECRET_KEYS_OLD contains the SECRET_KEY that encrypted it.');
    }
    const ok = webhooks.unreadable.length + totp.unreadable.length === 0 && erasureKey !== null;
    const data = { webhooks, totp, erasure_key: { reencrypted: erasureKey === true, unreadable: erasureKey === null } };
    return { ok, isReport: true, text: lines.join('\n'), data };
  },
};
