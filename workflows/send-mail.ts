import { background } from './activities.js';
import type { SendMailInput } from './contract.js';

/** Sends one account mail. Retries until the mail server takes it. */
export async function sendMail({ mailId }: SendMailInput): Promise<void> {
  await background.sendMail(mailId);
}
