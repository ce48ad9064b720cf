/** The settings that say which provider serves which channel, and of the accounts with them. A part of settings.ts. */
import Joi from 'joi';
import { kindsFor } from './provider-account.js';

const oneWord = Joi.string()
  .pattern(/^[\x21-\x7e]+$/)
  .messages({ 'string.pattern.base': '{{#label}} must be visible ASCII characters without spaces' });

/** Credentials travel by TLS; a stand-in on this machine needs none. */
const apiBase = Joi.string()
  .uri()
  .pattern(/^(?:https:\/\/[^\s/?#@]+|http:\/\/(?:127\.0\.0\.1|localhost)(?::\d+)?)\/?$/)
  .custom((text: string) => text.replace(/\/$/, ''))
  .messages({ 'string.pattern.base': '{{#label}} must be https, host and port, for example https://api.example.com' });

const phone = Joi.string()
  .pattern(/^\+[1-9]\d{1,14}$/)
  .messages({ 'string.pattern.base': '{{#label}} must be a phone number in E.164 format' });

const spki = Joi.string().base64().messages({ 'string.base64': '{{#label}} must be the public key in base64, as SendGrid shows it' });

const providerOf = (channel: 'sms' | 'whatsapp' | 'email') =>
  Joi.string()
    .valid(...kindsFor(channel))
    .default('sandbox')
    .description(`provider of the ${channel} channel: ${kindsFor(channel).join(', ')}`);

export const providerSettings: Record<string, Joi.Schema> = {
  PROVIDER_SMS: providerOf('sms'),
  PROVIDER_WHATSAPP: providerOf('whatsapp'),
  PROVIDER_EMAIL: providerOf('email'),
  TWILIO_ACCOUNT_SID: oneWord.description('Twilio: account SID'),
  TWILIO_AUTH_TOKEN: oneWord.description('Twilio: auth token; signs its callbacks too'),
  TWILIO_FROM: Joi.string()
    .pattern(/^(?:\+[1-9]\d{1,14}|\d{3,8}|MG[0-9a-f]{32}|[A-Za-z0-9 ]{1,11})$/)
    .messages({ 'string.pattern.base': '{{#label}} must be a phone number, a short code, a sender name or the SID of a messaging service' })
    .description('Twilio: sender of sms: a number, a short code, a sender name or a messaging service (MG…)'),
  TWILIO_WHATSAPP_FROM: phone.description('Twilio: sender of WhatsApp messages, a phone number'),
  TWILIO_API_BASE: apiBase
    .default('https://api.twilio.com')
    .description('scheme, host and port of Twilio or of a host that speaks its protocol'),
  META_PHONE_NUMBER_ID: oneWord.description('Meta: id of the WhatsApp phone number that sends'),
  META_ACCESS_TOKEN: oneWord.description('Meta: access token of the system user'),
  META_APP_SECRET: oneWord.description('Meta: secret of the app; signs its callbacks'),
  META_VERIFY_TOKEN: oneWord.description('Meta: token of the handshake when the callback is subscribed'),
  META_API_BASE: apiBase.default('https://graph.facebook.com').description('scheme, host and port of the Graph API'),
  EMAIL_FROM: Joi.string()
    .pattern(/^[^\r\n]*[^\s@<>]+@[^\s@<>]+>?$/)
    .messages({ 'string.pattern.base': '{{#label}} must be an e-mail address, or a name and an address in <>' })
    .description('sender of the messages of the email channel, as address or Name <address>'),
  SES_REGION: Joi.string()
    .pattern(/^[a-z]{2}(?:-[a-z]+)+-\d$/)
    .messages({ 'string.pattern.base': '{{#label}} must be a region such as eu-west-1' })
    .description('Amazon SES: region'),
  SES_ACCESS_KEY_ID: oneWord.description('Amazon SES: access key id'),
  SES_SECRET_ACCESS_KEY: oneWord.description('Amazon SES: secret access key'),
  SES_CONFIGURATION_SET: oneWord.description('Amazon SES: configuration set whose events are published to the topic'),
  SES_TOPIC_ARN: Joi.string()
    .pattern(/^arn:aws[\w-]*:sns:[\w-]+:\d{12}:[\w.-]+$/)
    .messages({ 'string.pattern.base': '{{#label}} must be the ARN of an SNS topic' })
    .description('Amazon SES: ARN of the SNS topic that its events are published to'),
  SES_API_BASE: apiBase.description('scheme, host and port of SES (default: of the region)'),
  SENDGRID_API_KEY: oneWord.description('SendGrid: API key'),
  SENDGRID_WEBHOOK_KEY: spki.description('SendGrid: verification key of the signed event webhook, base64'),
  SENDGRID_API_BASE: apiBase.default('https://api.sendgrid.com').description('scheme, host and port of SendGrid'),
  POSTMARK_SERVER_TOKEN: oneWord.description('Postmark: server token'),
  POSTMARK_MESSAGE_STREAM: oneWord.default('outbound').description('Postmark: message stream'),
  POSTMARK_WEBHOOK_CREDENTIALS: oneWord
    .pattern(/^[^:]+:.{16,}$/)
    .messages({ 'string.pattern.base': '{{#label}} must be user:password, the password at least 16 characters' })
    .description('Postmark: user:password in the URL of its webhooks, by which they are authenticated'),
  POSTMARK_API_BASE: apiBase.default('https://api.postmarkapp.com').description('scheme, host and port of Postmark'),
};
