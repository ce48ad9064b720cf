import * as conflicts from '../../../models/conflicts.js';
import * as errors from '../../../models/errors.js';
import { invalidToken, wrongPassword, codeRequired, wrongCode } from '../../../models/refused-credentials.js';
import { emailText } from '../../../models/rules/messages/recipient.js';
import { successTexts } from '../../present/success-texts.js';
import { at, ids, pagination, type Samples } from './sample.js';

const email = 'ada@example.com';
const current_password = 'correct horse battery';
const wrong = [wrongPassword(), invalidToken()];

/** Samples of passwords, sessions and second factors. */
export const sessionSamples: Samples = {
  resendVerification: {
    requests: { email: { email: 'ada@example.com' } },
    data: { message: successTexts.verificationRequested },
    refusals: [errors.invalidField('email', emailText)],
  },
  changePassword: {
    about: 'This JWT is revoked, too.',
    requests: { change: { current_password, password: 'another horse battery' } },
    data: { message: successTexts.passwordChanged },
    refusals: [...wrong, errors.invalidField('password', errors.faultTexts.shortPassword), errors.commonPassword()],
  },
  changeEmail: {
    about:
      'Sends a token to the new address and a notice to the current one. The token is valid for 24 hours; use it with `POST /api/v1/auth/verify-email`.',
    requests: { change: { email: 'lovelace@example.com', current_password } },
    data: { message: successTexts.emailChangeRequested },
    refusals: [...wrong, errors.emailExists(), errors.signupLimited(['example.com'])],
  },
  createConsoleSession: {
    about:
      'The same as `POST /api/v1/auth/login`, with the session in a cookie (`HttpOnly`, `SameSite=Strict`, and `Secure` unless the service runs on loopback) that is valid for 7 days. The session acts with all scopes of its workspace on every operation, also on those that need a JWT or an API key. It works from pages of this service only.',
    requests: { login: { email, password: current_password }, totp: { email, password: current_password, code: '287082' } },
    data: { workspace: { id: ids.workspace, name: 'Analytical Engines', email, email_verified: true, credits_balance: 100 } },
    refusals: [wrongPassword(), codeRequired(), wrongCode(), errors.foreignOrigin(), errors.invalidField('email', emailText)],
  },
  useConsoleLink: {
    about:
      'Only where `npm start` runs everything itself. The link that it prints contains the token. It works once, within 15 minutes, and gives the same session as `POST /console/session`.',
    requests: { link: { token: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJkZW1vIn0.c2lnbmF0dXJl' } },
    data: { workspace: { id: ids.workspace, name: 'Demo', email: 'demo@tidings.invalid', email_verified: true, credits_balance: 100 } },
    refusals: [errors.invalidMailToken(), errors.foreignOrigin()],
  },
  deleteConsoleSession: {
    about: 'Ends the session and deletes the cookie.',
    data: { message: successTexts.loggedOut },
  },
  getTotp: {
    about: '`enabled_at` is null while TOTP is disabled, or set up but not yet confirmed. `recovery_codes_left` counts the unused codes.',
    data: { totp: { enabled_at: at, recovery_codes_left: 9 } },
  },
  logOut: { data: { message: successTexts.loggedOut } },
  logOutAll: { data: { message: successTexts.allLoggedOut } },
  listSessions: {
    about: 'A session of the console also ends after 24 hours without a request, or after another time that the operator has set.',
    data: {
      sessions: [
        {
          id: ids.session,
          kind: 'console',
          created_at: at,
          last_used_at: at,
          expires_at: '2026-11-28T10:00:00.000Z',
          address: '203.0.113.7',
          user_agent: 'Mozilla/5.0',
          is_current: true,
        },
      ],
      pagination,
    },
  },
  endSession: {
    about: 'The session may be the one of this request.',
    data: { message: successTexts.sessionEnded },
  },
  setUpTotp: {
    about: 'Authenticator apps read `otpauth_url` from a QR code. Each recovery code works once, in place of a code.',
    data: {
      secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
      otpauth_url:
        'otpauth://totp/Tidings:ada%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Tidings&algorithm=SHA1&digits=6&period=30',
      recovery_codes: ['abcde-fghij-klmno-pqrst-uvwxy', 'bcdef-ghijk-lmnop-qrstu-vwxyz'],
    },
    refusals: [conflicts.totpAlreadyEnabled()],
  },
  confirmTotp: {
    requests: { code: { code: '287082' } },
    data: { message: successTexts.totpEnabled },
    refusals: [errors.invalidCode(), conflicts.totpNotSetUp()],
  },
  removeTotp: {
    requests: { code: { code: '287082' } },
    data: { message: successTexts.totpRemoved },
    refusals: [errors.invalidCode(), conflicts.totpNotEnabled()],
  },
  closeWorkspace: {
    about: 'Cannot be undone. Remaining credits are lost. The transactions are kept without names.',
    requests: { close: { current_password } },
    data: { message: successTexts.accountClosed },
    refusals: wrong,
  },
};
