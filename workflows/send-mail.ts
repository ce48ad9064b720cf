import { background } from './activities.js';
import type { SendMailInput } from './contract.js';

/** Sends one account mail. Retries until the mail server takes it or rejects it permanently, or until its link works no more. */
export async function sendMail({ mailId }: SendMailInput): Promise<void> {
  await background.sendMail(mailId);
}
