/** How answers of the service are read. */
import { errorOf, TidingsError } from './errors.js';
import { ignoredFieldsIn } from './ignored-fields.js';

export interface Answer<T> {
  data: T;
  ignored: string[];
}

/** @throws TidingsError for an answer that is not a success */
export async function answerOf<T>(response: Response): Promise<Answer<T>> {
  if (!response.ok) throw await errorOf(response);
  return { data: dataOf<T>(response.status, await response.text()), ignored: ignoredFieldsIn(response.headers) };
}

function dataOf<T>(status: number, text: string): T {
  try {
    const answer = JSON.parse(text) as { success?: unknown; data?: T };
    if (answer.success === true && typeof answer.data === 'object' && answer.data !== null && !Array.isArray(answer.data))
      return answer.data;
  } catch {
    // it is no JSON: below
  }
  throw notFromService(status);
}

/** The error of a success that the service cannot have given. */
export const notFromService = (status = 200): TidingsError =>
  new TidingsError({ status, code: 'invalid_answer', message: 'The response is not from Tidings. Check baseUrl' });
