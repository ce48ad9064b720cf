/** The settings that say which provider serves which channel. A part of settings.ts. */
import Joi from 'joi';
import { kindsFor } from './provider-account.js';

const providerOf = (channel: 'sms' | 'whatsapp' | 'email') =>
  Joi.string()
    .valid(...kindsFor(channel))
    .default('sandbox')
    .description(`provider of the ${channel} channel: ${kindsFor(channel).join(', ')}`);

export const providerSettings: Record<string, Joi.Schema> = {
  PROVIDER_SMS: providerOf('sms'),
  PROVIDER_WHATSAPP: providerOf('whatsapp'),
  PROVIDER_EMAIL: providerOf('email'),
};
