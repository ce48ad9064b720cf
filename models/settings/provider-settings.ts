/** The settings of providers: which provider serves which channel, and their accounts. A part of settings.ts. */
import Joi from 'joi';
import { type Channel, channels } from '../channels.js';
import { carrierSettings } from './carrier-settings.js';
import { channelSetting, kindsFor, settingsNeeded } from './provider-account.js';

const name = '[a-z][a-z0-9_]{0,31}';
const commaList = (part: string) => new RegExp(String.raw`^\s*${part}\s*(?:,\s*${part}\s*)*$`);

/** The sandbox has one account: its reports come to `/callbacks/sandbox`. */
const namedKinds = Object.keys(settingsNeeded).filter((kind) => kind !== 'sandbox');

const providerOf = (channel: Channel) =>
  Joi.string()
    .pattern(commaList(String.raw`${name}(?:=\d{1,3})?`))
    .messages({ 'string.pattern.base': '{{#label}} must be accounts with weights, for example twilio=3,backup=1' })
    .default('sandbox')
    .description(
      `provider accounts of the ${channel} channel: ${kindsFor(channel).join(', ')}; several share it, as name=weight, comma-separated`,
    );

export const providerSettings: Record<string, Joi.Schema> = {
  ...Object.fromEntries(channels.map((channel) => [channelSetting('PROVIDER', channel), providerOf(channel)])),
  PROVIDER_ACCOUNTS: Joi.string()
    .pattern(commaList(`${name}=${name}`))
    .messages({ 'string.pattern.base': '{{#label}} must be name=kind, comma-separated, for example backup=twilio' })
    .custom((text: string, helpers) =>
      text.split(',').every((part) => namedKinds.includes(part.split('=')[1]?.trim() ?? '')) ? text : helpers.error('kinds'),
    )
    .messages({ kinds: `{{#label}}: the kinds are ${namedKinds.join(', ')}` })
    .description('further accounts as name=kind, comma-separated; the settings of backup=twilio are BACKUP_TWILIO_…, else TWILIO_…'),
  ...carrierSettings,
};
