/** Phone numbers in E.164: `+`, then country code and number, at most 15 digits, the first not zero. */

const e164 = /^\+[1-9]\d{1,14}$/;

/** True for a number in E.164 form. */
export const isPhone = (text: string): boolean => e164.test(text);
