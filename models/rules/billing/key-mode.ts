/** Whether payments made with a key of Stripe are real. Undefined for a key without a mode in its prefix. */
export const keyMode = (key = ''): 'live' | 'test' | undefined => /^[a-z]+_(live|test)_/.exec(key)?.[1] as 'live' | 'test' | undefined;
