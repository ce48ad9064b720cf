/** The country of a phone number, by the numbering plans of libphonenumber. */
import { getCountries, getCountryCallingCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { countryText } from '../../errors.js';
import { isCountry } from '../values/country.js';

/**
 * The ISO 3166 alpha-2 code of a number in E.164. A number that is not in its numbering plan belongs to the first country of its calling
 * code, because carriers route it there: +1 555… is US. A number without a country, such as those of satellites and premium services, has
 * its calling code instead: `+881`.
 */
function countryOf(phone: string): string {
  const number = parsePhoneNumberFromString(phone);
  if (number?.country !== undefined) return number.country;
  const callingCode = number?.countryCallingCode ?? '';
  return mainCountries.get(callingCode) ?? `+${callingCode === '' ? phone.slice(1, 4) : callingCode}`;
}

/** Whether its country has numbers of this length. A possible number may still be assigned to nobody. */
export const isPossiblePhone = (phone: string): boolean => parsePhoneNumberFromString(phone)?.isPossible() === true;

/** Whether a list of countries may contain this code: those of ISO 3166, and those that only libphonenumber assigns, such as XK for Kosovo. */
export const isCountryOfPhones = (code: string): boolean => isCountry(code) || isSupportedCountry(code);

/** The fault of sending to this number; null if there is none. */
export function faultOfCountry(allowed: readonly string[], phone: string): string | null {
  const country = countryOf(phone);
  return allowed.includes(country) ? null : countryText(country);
}

/** Calling code → its main country, if several countries share it. */
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
