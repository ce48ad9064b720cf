/** An error that the user can fix. It is shown without a stack trace. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** The message of a thrown value. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
