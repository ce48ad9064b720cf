/** The filters of a list. They are in the address, so that links and the back button keep them. */
import { type ComponentChildren, Fragment } from 'preact';
import { useRef } from 'preact/hooks';

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
  // The fields and the link are drawn anew: this button keeps the focus.
  const button = useRef<HTMLButtonElement>(null);
  return (
    <search>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          button.current?.focus();
          apply(new FormData(event.currentTarget));
        }}
      >
        {/* Another address has other values in the fields. */}
        <Fragment key={JSON.stringify(filters)}>{children}</Fragment>
        <div class="actions">
          <button ref={button}>Search</button>
          {hasFilters && (
            <a href={all} onClick={() => button.current?.focus()}>
              Clear
            </a>
          )}
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
