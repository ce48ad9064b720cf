/** `1 credit`, `2.5 credits` */
export const creditsText = (credits: number): string => `${credits.toLocaleString()} ${credits === 1 ? 'credit' : 'credits'}`;
