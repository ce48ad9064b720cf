/** The summary after a start: all URLs, and a command that sends a message. */

export interface Summary {
  publicUrl: string;
  /** The URL of the local payment provider, if it runs. */
  checkout: string | undefined;
  temporalUi: string | null;
  temporalAddress: string;
  apiKey: string | undefined;
  logDir: string;
}

/** The lines to print. */
export function summaryLines({ publicUrl, checkout, temporalUi, temporalAddress, apiKey, logDir }: Summary): string[] {
  const message = '{"to":"+15551234567","channel":"sms","content":{"text":"Hello from Tidings"}}';
  const headers = `-H 'X-API-Key: ${apiKey ?? '<API_KEY>'}' -H 'Content-Type: application/json'`;
  return [
    '',
    `  API              ${publicUrl}`,
    `  Docs             ${publicUrl}/docs`,
    `  Temporal Web UI  ${temporalUi ?? `the one of ${temporalAddress}`}`,
    ...(checkout === undefined ? [] : [`  Checkout         ${checkout} (local: no money moves)`]),
    `  Logs             ${logDir}`,
    '',
    apiKey === undefined ? '  Send a message, with a key of your workspace:' : '  Send a message:',
    `  curl -X POST ${publicUrl}/api/v1/messages/send ${headers} -d '${message}'`,
    '',
    '  Ctrl-C stops everything.',
    '',
  ];
}
