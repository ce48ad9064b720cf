/** The ways to a recipient. */
export const channels = ['sms', 'whatsapp', 'email'] as const;
export type Channel = (typeof channels)[number];
