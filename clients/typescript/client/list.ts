/** Lists, which the client reads page by page. */
import { notFromService } from './answers.js';
import type { CallOptions, Query, Transport } from './transport.js';

/** A page of a list. */
export interface Page<T> {
  items: T[];
  /** For the next page; null at the end. */
  nextCursor: string | null;
}

const pageSize = 100;

/**
 * A list, newest first: `for await (const item of list)` reads all of it, and a page only when it is needed. Each row that exists from the
 * beginning to the end is seen once, however many are added meanwhile (docs/contract, Lists).
 */
export class List<T> implements AsyncIterable<T> {
  readonly #transport: Transport; // hidden from whoever displays the list: it has the API key

  /** @param name of the items in the answer */
  constructor(
    transport: Transport,
    private readonly path: string,
    private readonly name: string,
    private readonly query: Query,
    private readonly options: CallOptions,
  ) {
    this.#transport = transport;
  }

  /** One page. @param cursor `nextCursor` of the page before it; none for the first */
  async page(cursor?: string | null): Promise<Page<T>> {
    const query: Query = { limit: pageSize, ...this.query, cursor };
    const data = await this.#transport.call<Record<string, unknown>>({ method: 'GET', path: this.path, query }, this.options);
    const items = data[this.name];
    const { next_cursor: nextCursor } = Object(data.pagination) as { next_cursor?: string | null };
    // A cache that ignores the query string answers with the same page again and again.
    if (!Array.isArray(items) || nextCursor === undefined || (nextCursor !== null && nextCursor === cursor)) throw notFromService();
    return { items: items as T[], nextCursor };
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    let cursor: string | null | undefined;
    do {
      const page: Page<T> = await this.page(cursor);
      yield* page.items;
      cursor = page.nextCursor;
    } while (cursor !== null);
  }
}
