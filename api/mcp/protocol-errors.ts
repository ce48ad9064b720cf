/** The texts of protocol errors. The library would answer with those of its schema checker, and with the text of any error. */

/** `-32602` and `-32603` of JSON-RPC. */
const invalidParams = -32_602;
const internalError = -32_603;
/** A refusal to which the library gives the code of an internal error. The server allows no subscriptions. */
const subscriptionRefused = 'Subscription limit reached';

interface ErrorMessage {
  jsonrpc: '2.0';
  id: unknown;
  error: { code: number; message: string };
}

/**
 * The body of a response with our own texts in its error.
 * @param text JSON, or one server-sent event with JSON
 * @param noteInternal is called with the cause of an internal error, which its client does not see
 */
export function ownErrors(text: string, method: string, noteInternal: (cause: string) => void): string {
  // This cannot match inside a result: the quotes of its texts are escaped.
  if (!/"error":\{"code":-3260[23],/.test(text)) return text;
  return text.replace(/\{.*\}/s, (json) => {
    const message = JSON.parse(json) as ErrorMessage;
    return JSON.stringify({ ...message, error: ownError(message.error, method, noteInternal) });
  });
}

function ownError(error: ErrorMessage['error'], method: string, noteInternal: (cause: string) => void): ErrorMessage['error'] {
  const fields = invalidFields(error.message);
  if (fields.length > 0) return { code: invalidParams, message: `Invalid parameters of ${method}: ${fields.join(', ')}` };
  if (error.code !== internalError || error.message === subscriptionRefused) return error;
  noteInternal(error.message);
  return { code: internalError, message: 'Internal server error' };
}

/** The fields that the schema checker of the library has refused in a request. Its text is a list of faults in JSON. */
function invalidFields(text: string): string[] {
  const [, json] = /^(?:Invalid \S+ request: )?(\[.*\])$/s.exec(text) ?? [];
  if (json === undefined) return [];
  try {
    return (JSON.parse(json) as { path: (string | number)[] }[]).map(({ path }) => path.join('.') || 'params');
  } catch {
    return []; // not such a list
  }
}
