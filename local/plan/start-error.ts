/** What keeps the service from starting and is the user's to mend: shown as it is, without a stack. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** The text of whatever was thrown. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
