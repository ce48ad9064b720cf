/** The text for a user who returns from the checkout page. The address proves nothing: only the callback of the payment provider does. */
interface CheckoutOutcome {
  title: string;
  message: string;
}

const outcomes: Readonly<Record<'success' | 'cancelled', CheckoutOutcome>> = {
  success: { title: 'Thank you', message: 'Your credits are added as soon as the payment is confirmed.' },
  cancelled: { title: 'Purchase cancelled', message: 'The purchase was cancelled. Nothing was charged.' },
};

const unknown: CheckoutOutcome = {
  title: 'Checkout',
  message: 'The checkout page leads back here. A purchase that was paid is in the list of transactions.',
};

/** @param checkout the query parameter of the return address */
export const checkoutOutcome = (checkout: unknown): CheckoutOutcome =>
  checkout === 'success' || checkout === 'cancelled' ? outcomes[checkout] : unknown;
