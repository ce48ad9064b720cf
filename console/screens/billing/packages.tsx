/** The packages for sale. A purchase happens on the page of the payment provider. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
// oxlint-disable-next-line no-restricted-imports -- the API does not tell how many decimals a currency has, and two tables would drift apart
import { decimalsOf } from '../../../models/rules/billing/currency.js';
import { call, type Schema } from '../../api/call.js';
import { type Problem, problemOf } from '../../api/problem.js';
import { creditsText } from '../../parts/credits.js';
import { Resource } from '../../parts/loaded.js';
import { ProblemBox } from '../../parts/problem-box.js';
import { useLoad } from '../../state/load.js';

type Package = Schema<'CreditPackage'>;

export function Packages() {
  const packages = useLoad<readonly Package[]>('', async (signal) => (await call('get', '/api/v1/billing/packages', { signal })).packages);
  return (
    <section aria-labelledby="packages">
      <h2 id="packages">Buy credits</h2>
      <Resource of={packages}>{(shown) => (shown.length === 0 ? <p>Nothing is for sale.</p> : <Offers packages={shown} />)}</Resource>
    </section>
  );
}

/** A purchase that begins here. */
function useCheckout() {
  const problem = useSignal<Problem | null>(null);
  const isBusy = useSignal(false);
  // Until the user was on the page of the provider, a button leads to the same checkout again: after a lost answer, or when that page did not open.
  const keys = useRef(new Map<string, string>());
  useEffect(() => {
    const restored = () => keys.current.clear();
    addEventListener('pageshow', restored);
    return () => removeEventListener('pageshow', restored);
  }, []);
  const buy = async (id: string) => {
    if (isBusy.value) return;
    isBusy.value = true;
    problem.value = null;
    const idempotencyKey = keys.current.get(id) ?? crypto.randomUUID();
    keys.current.set(id, idempotencyKey);
    try {
      const { checkout_url: url } = await call('post', '/api/v1/billing/checkout', { body: { package_id: id }, idempotencyKey });
      location.assign(url);
    } catch (error) {
      problem.value = problemOf(error);
    } finally {
      isBusy.value = false;
    }
  };
  return { problem, isBusy, buy };
}

function Offers({ packages }: { packages: readonly Package[] }) {
  const { problem, isBusy, buy } = useCheckout();
  return (
    <>
      {problem.value !== null && <ProblemBox problem={problem.value} />}
      <ul class="offers">
        {packages.map(({ id, name, credits, price_cents: cents, currency }) => (
          <li key={id} class="figure">
            <strong>{name}</strong>
            <span>{creditsText(credits)}</span>
            <span>{priceText(cents, currency)}</span>
            <button type="button" aria-label={`Buy ${name}`} aria-disabled={isBusy.value} onClick={() => void buy(id)}>
              Buy
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

/** `Intl` shows several currencies with other decimals than the payment provider uses. */
function priceText(amount: number, currency: string): string {
  const digits = decimalsOf(currency);
  const shown = { style: 'currency', currency, minimumFractionDigits: digits, maximumFractionDigits: digits } as const;
  return new Intl.NumberFormat('en', shown).format(amount / 10 ** digits);
}
