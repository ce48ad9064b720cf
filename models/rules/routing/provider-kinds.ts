/** The kinds of providers, and what an account of each kind has. */
import type { Channel } from '../../channels.js';

interface Named {
  /** Unique. Stored in the rows of its messages, and part of the path of its callbacks. */
  name: string;
}

/** The kinds that `createProvider` can build. The settings accept no other. The `old…` of a secret is accepted in callbacks too. */
export type ProviderAccount = Named &
  (
    | { kind: 'sandbox' }
    /** `apiBase`: scheme, host and port. Another host must have the same protocol. */
    | ({ kind: 'twilio'; apiBase: string; accountSid: string; authToken: string; oldAuthToken?: string | undefined } & {
        senders: Readonly<Partial<Record<Channel, string>>>;
      })
    /** `appSecret` signs its callbacks. Meta verifies our callback address with `verifyToken`. */
    | ({ kind: 'meta'; apiBase: string; phoneNumberId: string; accessToken: string; appSecret: string; verifyToken: string } & {
        oldAppSecret?: string | undefined;
      })
    /** `from`, for all e-mail providers: an address, or a name with an address in angle brackets. */
    | { kind: 'smtp'; url: string; from: string }
    /** `topicArn`: the topic of its events, which the SNS at `snsBase` signs; with SHA-1 only if `allowsSha1`. */
    | ({ kind: 'ses'; apiBase: string; snsBase: string; region: string; accessKeyId: string; secretAccessKey: string } & {
        /** For temporary keys. */
        sessionToken: string | undefined;
        configurationSet: string | undefined;
        topicArn: string;
        allowsSha1: boolean;
        from: string;
      })
    /** `callbackPassword`: a part of the address of its webhook. */
    | ({ kind: 'postmark'; apiBase: string; serverToken: string; messageStream: string; from: string; callbackPassword: string } & {
        oldCallbackPassword?: string | undefined;
      })
    /** `verificationKey`: the key of its event webhook, base64 of an SPKI. */
    | ({ kind: 'sendgrid'; apiBase: string; apiKey: string; from: string; verificationKey: string } & {
        oldVerificationKey?: string | undefined;
      })
  );

export type ProviderKind = ProviderAccount['kind'];
export type AccountOf<Kind extends ProviderKind> = Extract<ProviderAccount, { kind: Kind }>;

/** Kinds whose WhatsApp templates have one list of variables for all parts: header and buttons have no variables of their own. */
export const oneListKinds: ReadonlySet<ProviderKind> = new Set(['twilio']);
