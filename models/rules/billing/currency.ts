/** How many decimals the amounts of the payment provider have. Neither ISO 4217 nor `Intl` say the same (docs.stripe.com/currencies). */

// ISK and UGX have no decimals any more, but their amounts are still passed with two.
const withoutDecimals = new Set('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '));
const withThreeDecimals = new Set('BHD JOD KWD OMR TND'.split(' '));

/** The decimals of an amount in the smallest unit: a dollar has 100 of them, a yen is one. @param currency its code in any case */
export function decimalsOf(currency: string): number {
  const code = currency.toUpperCase();
  if (withoutDecimals.has(code)) return 0;
  return withThreeDecimals.has(code) ? 3 : 2;
}

/** An amount in the smallest unit, as text: `5.00 USD`, `500 JPY`. */
export function moneyText(amount: number, currency: string): string {
  const decimals = decimalsOf(currency);
  return `${(amount / 10 ** decimals).toFixed(decimals)} ${currency.toUpperCase()}`;
}

/** Reads what `moneyText` writes; decimals may be missing. @returns null for another text, 0, or more decimals than the currency has */
export function readMoney(text: string): { amount: number; currency: string } | null {
  const [, whole = '', decimals = '', code = ''] = /^(\d{1,12})(?:\.(\d{1,3}))? ?([A-Za-z]{3})$/.exec(text.trim()) ?? [];
  const places = decimalsOf(code);
  const amount = decimals.length > places ? 0 : Number(`${whole}${decimals.padEnd(places, '0')}`);
  return amount === 0 ? null : { amount, currency: code.toLowerCase() };
}
