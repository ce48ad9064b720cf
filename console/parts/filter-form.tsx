/** The filters of a list. They are in the address, so that links and the back button keep them. */
import { type ComponentChildren, Fragment } from 'preact';
import { useLocation } from 'preact-iso';
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

/** Whether something is chosen. */
export const hasAny = (filters: Props['filters']): boolean => Object.values(filters).some((value) => (value ?? '') !== '');

/** What is shown instead of an empty table. The noun is that of a row, and gets an s for more of them. */
export const NoMatch = ({ noun, all }: { noun: string; all: string }) => (
  <p>
    {`No ${noun} matches. `}
    <a href={all}>{`Show all ${noun}s`}</a>
  </p>
);

const sorted = (url: string): string => [...new URL(url, location.origin).searchParams].map(String).toSorted().join('&');

/** Shows what an address selects. What is shown already is read again, without another entry in the history. */
export function useSearch(reload: () => void): (address: string) => void {
  const { url, route } = useLocation();
  return (address) => (sorted(address) === sorted(url) ? reload() : route(address));
}

export function FilterForm({ filters, apply, all, children }: Props) {
  // The fields and the link are rendered again: this button keeps the focus.
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
          {hasAny(filters) && (
            <a href={all} onClick={() => button.current?.focus()}>
              Clear
            </a>
          )}
        </div>
      </form>
    </search>
  );
}

/** The choices of a filter, with "any" before them. A value without a text is shown as it is. */
export const anyOf = (
  values: readonly string[],
  texts: Readonly<Record<string, string>> = {},
): (readonly [value: string, text: string])[] => [['', 'any'], ...values.map((value) => [value, texts[value] ?? value] as const)];
