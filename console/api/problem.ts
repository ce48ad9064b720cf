/** What went wrong with a request, in the words of the API. */

/** The body of an error response (docs/contract/errors.md). Where a proxy answered, its fields are missing or of other types. */
export interface ErrorBody {
  error?: string;
  code?: string;
  request_id?: string;
  details?: { field: string; message: string }[];
  hints?: string[];
}

/** What the API says of a session that has ended (docs/contract/errors.md). */
export const endedText = 'Invalid or expired token';

const textIn = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const listIn = <T>(value: readonly T[] | undefined): readonly T[] => (Array.isArray(value) ? value : []);

/** A refused or failed request. `message` is for people. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: string;
  /** For support: it finds the log line of the request. */
  readonly requestId: string | null;
  readonly details: readonly { field: string; message: string }[];
  readonly hints: readonly string[];

  /** @param status the HTTP status; 0: no answer */
  constructor(
    readonly status: number,
    body: ErrorBody,
  ) {
    super(textIn(body.error) ?? `Something went wrong (status ${status}).${status >= 500 ? ' Please try again.' : ''}`);
    this.code = textIn(body.code) ?? '';
    this.requestId = textIn(body.request_id);
    this.details = listIn(body.details).filter((detail) => textIn(detail?.field) !== null && textIn(detail.message) !== null);
    this.hints = listIn(body.hints).filter((hint) => textIn(hint) !== null);
  }
}

export const unreachable = (): Problem =>
  new Problem(0, { error: 'The service cannot be reached.', code: 'unreachable', hints: ['Check your connection and try again.'] });

/** Whether the request may have been carried out all the same. */
export const isUnanswered = (error: unknown): boolean => error instanceof Problem && (error.status === 0 || error.status >= 500);

/** Any thrown value as a problem, so that a fault of the console itself is shown, too. */
export const problemOf = (thrown: unknown): Problem =>
  thrown instanceof Problem ? thrown : new Problem(0, { error: thrown instanceof Error ? thrown.message : String(thrown) });
