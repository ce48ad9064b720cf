/** The country that a phone number belongs to, by the numbering plans that libphonenumber keeps. */
import { getCountries, getCountryCallingCode, parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { countryText } from '../../errors.js';

/**
 * The ISO 3166 alpha-2 code of a number in E.164. A number that its plan does not have belongs to the first country of its calling code, as
 * carriers route it: +1 555… is US. What no country has, such as satellites and premium services, is named by its calling code: `+881`.
 */
function countryOf(phone: string): string {
  const number = parsePhoneNumberFromString(phone);
  if (number?.country !== undefined) return number.country;
  const callingCode = number?.countryCallingCode ?? '';
  return mainCountries.get(callingCode) ?? `+${callingCode === '' ? phone.slice(1, 4) : callingCode}`;
}

/** What is wrong with sending to this number; null when nothing is. */
export function faultOfCountry(allowed: readonly string[], phone: string): string | null {
  const country = countryOf(phone);
  return allowed.includes(country) ? null : countryText(country);
}

/** Calling code → the country whose it is first of all, where several share it. */
const mainOfShared = new Map([
  ['1', 'US'],
  ['7', 'RU'],
  ['39', 'IT'],
  ['44', 'GB'],
  ['47', 'NO'],
  ['61', 'AU'],
  ['212', 'MA'],
  ['262', 'RE'],
  ['290', 'SH'],
  ['358', 'FI'],
  ['590', 'GP'],
  ['599', 'CW'],
] as const);

const mainCountries: ReadonlyMap<string, string> = new Map([
  ...getCountries().map((country) => [getCountryCallingCode(country) as string, country as string] as const),
  ...(mainOfShared as ReadonlyMap<string, string>),
]);
