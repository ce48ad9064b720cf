import { background } from './activities.js';
import type { SendMailInput } from './contract.js';

/** Sends one account mail, however long the mail server is away. */
export async function sendMail({ mailId }: SendMailInput): Promise<void> {
  await background.sendMail(mailId);
}
