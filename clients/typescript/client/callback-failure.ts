/** Functions that the program gives to the client. */

/** A function of the program failed, and not the request. */
export class CallbackFailure extends Error {
  constructor(readonly reason: unknown) {
    super();
  }
}

/** Calls a function of the program, and waits for a promise that it returns. @throws CallbackFailure with what the function throws */
export async function runCallback(callback: () => unknown): Promise<void> {
  try {
    await callback();
  } catch (error) {
    throw new CallbackFailure(error);
  }
}
