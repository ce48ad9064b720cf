/** The filters of a list. They are in the address, so that links and the back button keep them. */
import type { ComponentChildren } from 'preact';

interface Props {
  /** What is chosen now. */
  filters: Readonly<Record<string, string | undefined>>;
  /** Goes to the address with what was chosen. */
  apply(data: FormData): void;
  /** The address without filters. */
  all: string;
  children: ComponentChildren;
}

export function FilterForm({ filters, apply, all, children }: Props) {
  const hasFilters = Object.values(filters).some((value) => (value ?? '') !== '');
  return (
    <search>
      <form
        class="filters"
        // Another address has other values in the fields.
        key={JSON.stringify(filters)}
        onSubmit={(event) => {
          event.preventDefault();
          apply(new FormData(event.currentTarget));
        }}
      >
        {children}
        <div class="actions">
          <button>Search</button>
          {hasFilters && <a href={all}>Clear</a>}
        </div>
      </form>
    </search>
  );
}

/** The choices of a filter, with "any" before them. */
export const anyOf = (values: readonly string[]): (readonly [value: string, text: string])[] => [
  ['', 'any'],
  ...values.map((value) => [value, value] as const),
];
