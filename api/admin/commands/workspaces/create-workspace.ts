import { createWorkspace } from '../../../../models/operations/accounts/create-workspace.js';
import { mailLinks } from '../../../../models/rules/accounts/mail-texts.js';
import { systemOrigin } from '../../../../models/rules/audit/origin.js';
import { creditsText, toCredits } from '../../../../models/rules/billing/credits.js';
import { emailText } from '../../../../models/rules/messages/recipient.js';
import { isEmail } from '../../../../models/rules/values/email.js';
import { codePoints, isStorable } from '../../../../models/rules/values/text.js';
import { type Command, textIn, UsageError } from '../../command.js';
import { readCredits } from '../../read-credits.js';

const nameLengthMax = 255;

export const createWorkspaceCommand: Command = {
  name: 'workspace create',
  takes: ['email'],
  options: {
    company: { value: 'NAME', about: 'Name of the workspace (default: the domain of the address)' },
    credits: { value: 'N', about: 'Credits to begin with (default SIGNUP_CREDITS)' },
  },
  summary:
    'Create a workspace, whatever SIGNUP says, and print a link with which its owner sets a password within 7 days. The link works once: give it to the owner only.',
  async run(given, { db, config }) {
    const [email = ''] = given.positionals;
    if (!isEmail(email)) throw new UsageError(emailText);
    const name = (textIn(given, 'company') ?? email.slice(email.lastIndexOf('@') + 1)).trim();
    if (name === '' || codePoints(name) > nameLengthMax || !isStorable(name)) {
      throw new UsageError(`--company must have 1 to ${nameLengthMax} characters`);
    }
    const number = textIn(given, 'credits');
    const credits =
      number === undefined
        ? { amount: config.signupCredits, description: 'Signup credits' }
        : { amount: readCredits(number), description: 'Credits from the operator' };
    const { workspace, token, expiresAt } = await createWorkspace(db, config.secretKey, { email, name, credits }, systemOrigin('operator'));
    const link = `${config.publicUrl}${mailLinks.reset_password}#token=${token}`;
    const lines = [
      `${name} (${workspace.id}) was created for ${email} with ${creditsText(workspace.balance)}.`,
      `Its owner sets a password here, once, until ${expiresAt.toISOString()}:`,
      link,
    ];
    const balance = toCredits(workspace.balance);
    return { ok: true, text: lines.join('\n'), data: { workspace_id: workspace.id, email, name, balance, link, expires_at: expiresAt } };
  },
};
