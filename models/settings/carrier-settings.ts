/** The settings of accounts with carriers. A part of provider-settings.ts. */
import { createPublicKey } from 'node:crypto';
import Joi from 'joi';
import { mailbox, mailServer, oneWord, origin } from './setting-kinds.js';

/** Credentials require TLS. A simulated server on this machine needs none. */
const apiBase = origin(
  /^(?:https:\/\/[^\s/?#@]+|http:\/\/(?:127\.0\.0\.1|localhost)(?::\d+)?)\/?$/,
  'https, host and port, for example https://api.example.com',
);

const callbackPassword = oneWord.min(16).messages({ 'string.min': '{{#label}} must have at least 16 characters' });

/** In the form that the provider shows: base64 of an SPKI. */
const verificationKey = oneWord
  .custom((text: string, helpers) => (isPublicKey(text) ? text : helpers.error('key')))
  .messages({ key: '{{#label}} must be a public key, as SendGrid shows it' });

function isPublicKey(text: string): boolean {
  try {
    return createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' }).asymmetricKeyType === 'ec';
  } catch {
    return false;
  }
}

export const carrierSettings = {
  TWILIO_ACCOUNT_SID: oneWord.description('Twilio: account SID'),
  TWILIO_AUTH_TOKEN: oneWord.description('Twilio: auth token; signs its callbacks too'),
  TWILIO_AUTH_TOKEN_OLD: oneWord.description('Twilio: former auth token; callbacks that it signed are accepted too'),
  TWILIO_FROM: Joi.string()
    .pattern(/^(?:\+[1-9]\d{1,14}|\d{3,8}|MG[0-9a-f]{32}|(?=.*[A-Za-z])(?! )[A-Za-z0-9 ]{1,11}(?<! ))$/)
    .messages({ 'string.pattern.base': '{{#label}} must be a phone number, a short code, a sender name or the SID of a messaging service' })
    .description('Twilio: sender, as a number, a short code, a sender name or a messaging service (MG…)'),
  TWILIO_WHATSAPP_FROM: Joi.string()
    .pattern(/^(?:\+[1-9]\d{1,14}|MG[0-9a-f]{32})$/)
    .messages({ 'string.pattern.base': '{{#label}} must be a phone number, or the SID of a messaging service' })
    .description('Twilio: sender on WhatsApp: a number or a messaging service (MG…)'),
  TWILIO_API_BASE: apiBase.default('https://api.twilio.com').description('scheme, host and port of Twilio or of a host with the same API'),
  META_PHONE_NUMBER_ID: oneWord.description('Meta: id of the phone number that sends on WhatsApp'),
  META_ACCESS_TOKEN: oneWord.description('Meta: access token of a system user'),
  META_APP_SECRET: oneWord.description('Meta: secret of the app; signs its callbacks'),
  META_APP_SECRET_OLD: oneWord.description('Meta: former secret of the app; callbacks that it signed are accepted too'),
  META_VERIFY_TOKEN: callbackPassword.description(
    'Meta: text of your choice with which Meta verifies the callback address, at least 16 characters',
  ),
  META_API_BASE: apiBase.default('https://graph.facebook.com').description('scheme, host and port of Meta'),
  EMAIL_FROM: mailbox.description(
    'sender of the e-mail channel, with every provider: an address, or a name with an address in angle brackets',
  ),
  EMAIL_SMTP_URL: mailServer.description(
    'SMTP: mail server of the e-mail channel; with a password, TLS is required off this machine unless ?tls=optional is added',
  ),
  SES_REGION: Joi.string()
    .pattern(/^(?:[a-z]{2}|eusc)(?:-[a-z]+)+-\d$/)
    .messages({ 'string.pattern.base': '{{#label}} must be a region of AWS, for example eu-west-1' })
    .description('Amazon SES: region, for example eu-west-1'),
  SES_ACCESS_KEY_ID: oneWord.description('Amazon SES: id of an access key that may call ses:SendEmail'),
  SES_SECRET_ACCESS_KEY: oneWord.description('Amazon SES: the secret of that key'),
  SES_SESSION_TOKEN: oneWord.description('Amazon SES: session token, if that key is temporary'),
  SES_CONFIGURATION_SET: oneWord.description('Amazon SES: configuration set whose events go to the topic'),
  SES_TOPIC_ARN: Joi.string()
    .pattern(/^arn:[a-z-]+:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,256}$/)
    .messages({ 'string.pattern.base': '{{#label}} must be the ARN of an SNS topic' })
    .description('Amazon SES: ARN of the SNS topic through which its events come'),
  SES_SNS_SHA1: Joi.string()
    .valid('refuse', 'allow')
    .default('refuse')
    .description('Amazon SES: refuse or allow callbacks that SNS signs with SHA-1 (SignatureVersion 1 of the topic, the default of SNS)'),
  SES_API_BASE: apiBase.description('scheme, host and port of Amazon SES (default: that of the region)'),
  SES_SNS_BASE: apiBase.description('scheme, host and port of the SNS that signs callbacks (default: that of the region)'),
  POSTMARK_SERVER_TOKEN: oneWord.description('Postmark: server API token'),
  POSTMARK_MESSAGE_STREAM: oneWord.default('outbound').description('Postmark: message stream'),
  POSTMARK_CALLBACK_PASSWORD: callbackPassword.description('Postmark: password in the address of its webhook, at least 16 characters'),
  POSTMARK_CALLBACK_PASSWORD_OLD: callbackPassword.description('Postmark: former password; callbacks with it are accepted too'),
  POSTMARK_API_BASE: apiBase.default('https://api.postmarkapp.com').description('scheme, host and port of Postmark'),
  SENDGRID_API_KEY: oneWord.description('SendGrid: API key'),
  SENDGRID_VERIFICATION_KEY: verificationKey.description('SendGrid: verification key of its signed event webhook'),
  SENDGRID_VERIFICATION_KEY_OLD: verificationKey.description(
    'SendGrid: former verification key; callbacks that it verifies are accepted too',
  ),
  SENDGRID_API_BASE: apiBase.default('https://api.sendgrid.com').description('scheme, host and port of SendGrid'),
} satisfies Record<string, Joi.Schema>;

export type CarrierSetting = keyof typeof carrierSettings;
