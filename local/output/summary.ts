/** The summary after a start: all URLs, and a command that sends a message. */

export interface Summary {
  publicUrl: string;
  /** The URL of the local payment provider, if it runs. */
  checkout: string | undefined;
  temporalUi: string | null;
  temporalAddress: string;
  apiKey: string | undefined;
  /** Signs the demo workspace in to the console, once. */
  consoleToken: string | undefined;
  logDir: string;
}

/** The lines to print. */
export function summaryLines({ publicUrl, checkout, temporalUi, temporalAddress, apiKey, consoleToken, logDir }: Summary): string[] {
  const message = '{"to":"+15551234567","channel":"sms","content":{"text":"Hello from Tidings"}}';
  const headers = `-H 'X-API-Key: ${apiKey ?? '<API_KEY>'}' -H 'Content-Type: application/json'`;
  return [
    '',
    `  API              ${publicUrl}`,
    `  Console          ${publicUrl}/console`,
    `  Docs             ${publicUrl}/docs`,
    `  Temporal Web UI  ${temporalUi ?? `see the server at ${temporalAddress}`}`,
    ...(checkout === undefined ? [] : [`  Checkout         ${checkout} (local: no money moves)`]),
    `  Logs             ${logDir}`,
    '',
    ...(consoleToken === undefined
      ? []
      : ['  Open the console as the demo workspace (works once, within 15 minutes):', `  ${publicUrl}/console#token=${consoleToken}`, '']),
    apiKey === undefined ? '  Send a message, with a key of your workspace:' : '  Send a message:',
    `  curl -X POST ${publicUrl}/api/v1/messages/send ${headers} -d '${message}'`,
    '',
    '  Ctrl-C stops everything.',
    '',
  ];
}
