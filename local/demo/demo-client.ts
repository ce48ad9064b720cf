/** A client of the public HTTP API for the demo. */

/** An error response. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    request: string,
    text: string,
  ) {
    super(`${request} returned ${status}: ${text}`);
    this.name = 'Refusal';
  }
}

export interface Call {
  token?: string;
  apiKey?: string;
  body?: unknown;
}

interface Envelope<Data> {
  success: boolean;
  data: Data;
  error?: string;
}

export class DemoClient {
  constructor(
    private readonly baseUrl: string,
    private readonly signal: AbortSignal,
  ) {}

  /**
   * Makes a request and resolves to the `data` of its response.
   * @throws Refusal for an error response
   */
  async call<Data>(method: string, path: string, { token, apiKey, body }: Call): Promise<Data> {
    const response = await fetch(`${this.baseUrl}/api/v1${path}`, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: this.signal,
    });
    const envelope = (await response.json()) as Envelope<Data>;
    if (!response.ok) throw new Refusal(response.status, `${method} ${path}`, envelope.error ?? 'no text');
    return envelope.data;
  }
}
