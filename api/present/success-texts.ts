/** The texts that confirm a change. The handlers and the samples of the OpenAPI document share them. */
export const successTexts = {
  signedUp: 'Workspace created. Please check your e-mail to verify your address.',
  emailVerified: 'E-mail address verified.',
  verificationRequested: 'If this address belongs to an unverified workspace, we have sent a verification link to it.',
  resetRequested: 'If this address belongs to a workspace, we have sent a link to reset its password to it.',
  passwordChanged: 'Password changed. Please log in again.',
  emailChangeRequested: 'An e-mail with a link to confirm the new address is on the way.',
  accountClosed: 'Account closed.',
  loggedOut: 'You are logged out.',
  allLoggedOut: 'All sessions are logged out.',
  sessionEnded: 'Session ended.',
  totpEnabled: 'TOTP is enabled: logins need a code from now on.',
  totpRemoved: 'TOTP is disabled: logins need no code.',
  keyDeactivated: 'API key has been deactivated.',
  contactDeleted: 'Contact deleted.',
  suppressionRemoved: 'Suppression removed.',
  webhookDeleted: 'Webhook deleted.',
  unsubscribed: 'You will not receive these e-mails any more.',
  notUnsubscribed: 'Nothing was changed. To stop these e-mails, use the unsubscribe button of your mail program.',
} as const;

/** The warnings beside a secret in the only response that shows it. */
export const storeNow = {
  apiKey: 'Store this API key now: it is displayed only once and cannot be retrieved later.',
  secret: 'Store this secret now: it is displayed only once and cannot be retrieved later.',
} as const;
