/** The accounts that share a channel, and the settings of additional accounts. */
import type Joi from 'joi';
import { type Channel, channels, forEachChannel } from '../channels.js';
import type { ProviderAccount, ProviderKind } from '../rules/routing/provider-kinds.js';
import type { Route } from '../rules/routing/route.js';
import { carrierSettings } from './carrier-settings.js';
import { accountOf, channelSetting, kindsFor, settingsNeeded } from './provider-account.js';
import { partsOf } from './setting-kinds.js';

type Environment = Readonly<Record<string, string | undefined>>;

const settingOf = (channel: Channel) => channelSetting('PROVIDER', channel);

/** `EU_TWILIO_FROM`: the value of the kind's setting for the account `eu`. */
const ownSetting = (account: string, setting: string) => `${account.toUpperCase()}_${setting}`;

/** The names of the accounts in the setting, as written: `eu=twilio,us=twilio`. */
const namedAccounts = (given: Environment): string[] => partsOf(given.PROVIDER_ACCOUNTS).map((part) => part.split('=')[0] ?? '');

/** The accounts that the settings name, with their kinds, including the default account of each kind. */
function kindsIn(given: Environment): Map<string, string> {
  const named = partsOf(given.PROVIDER_ACCOUNTS).map((part) => part.split('=') as [string, string]);
  return new Map([...Object.keys(settingsNeeded).map((kind) => [kind, kind] as const), ...named]);
}

/** The accounts that share a channel, as written in the setting: `twilio`, or `twilio=3,backup=1`. */
function routesOf(given: Environment, channel: Channel): Route[] {
  const routes = partsOf(given[settingOf(channel)]).map((part) => {
    const [account = '', weight = '1'] = part.split('=');
    return { account, weight: Number(weight) };
  });
  return routes.length === 0 ? [{ account: 'sandbox', weight: 1 }] : routes;
}

/** The faults of the routes as a whole. The declaration of each setting checks its own value. */
export function routeFaults(given: Environment): string[] {
  const kinds = kindsIn(given);
  const named = namedAccounts(given);
  const taken = named.filter((name, at) => Object.hasOwn(settingsNeeded, name) || named.indexOf(name) !== at);
  const faults = taken.map((name) => `PROVIDER_ACCOUNTS: the name ${name} is taken`);
  const limited = partsOf(given.PROVIDER_LIMITS).map((limit) => limit.split('=')[0] ?? '');
  if (new Set(limited).size < limited.length) faults.push('PROVIDER_LIMITS: an account is named twice');
  for (const name of new Set(limited))
    if (!kinds.has(name)) faults.push(`PROVIDER_LIMITS: ${name} is no account: ${[...kinds.keys()].join(', ')}`);
  for (const channel of channels) {
    const routes = routesOf(given, channel);
    const accounts = routes.map(({ account }) => account);
    for (const account of accounts) {
      if (!kindsFor(channel).includes(kinds.get(account) ?? '')) {
        faults.push(`${settingOf(channel)}: ${account} is no account that carries ${channel}: ${kindsFor(channel).join(', ')}`);
      }
    }
    if (new Set(accounts).size < accounts.length) faults.push(`${settingOf(channel)}: an account is named twice`);
    const carrier = accounts.find((account) => account !== 'sandbox' && kinds.has(account));
    if (accounts.includes('sandbox') && carrier !== undefined)
      faults.push(`${settingOf(channel)}: sandbox delivers nothing, so it cannot share the channel with ${carrier}`);
    if (routes.every(({ weight }) => weight === 0)) faults.push(`${settingOf(channel)}: one weight at least must be above 0`);
  }
  return faults;
}

/** The own settings of the named accounts: like those of their kind, but without the defaults. */
export function ownSettings(given: Environment): Record<string, Joi.Schema> {
  const accounts = namedAccounts(given);
  const each = Object.entries<Joi.Schema>(carrierSettings);
  return Object.fromEntries(
    accounts.flatMap((account) => each.map(([name, schema]) => [ownSetting(account, name), schema.prefs({ noDefaults: true })])),
  );
}

/**
 * The settings that accounts require: those of a channel for each channel that they serve, and a named account those that all channels of its kind
 * require. For a named account, only those that its kind does not have either.
 */
export function neededByAccounts(given: Environment): string[] {
  const kinds = kindsIn(given);
  // Without a channel: what all channels of the account's kind require.
  const neededBy = (account: string, channel?: Channel): readonly string[] => {
    const kind = kinds.get(account) ?? '';
    const needed = Object.hasOwn(settingsNeeded, kind) ? settingsNeeded[kind as ProviderKind] : {};
    const names = (channel === undefined ? inEachOf(Object.values(needed)) : needed[channel]) ?? [];
    return account === kind ? names : names.filter((name) => given[name] === undefined).map((name) => ownSetting(account, name));
  };
  const serving = channels.flatMap((channel) => routesOf(given, channel).flatMap(({ account }) => neededBy(account, channel)));
  return [...new Set([...serving, ...namedAccounts(given).flatMap((account) => neededBy(account))])];
}

const inEachOf = ([first = [], ...others]: (readonly string[])[]): readonly string[] =>
  first.filter((name) => others.every((names) => names.includes(name)));

/** The default accounts whose required settings for a channel are all present. */
const completeAccounts = (given: Environment): string[] =>
  Object.entries(settingsNeeded).flatMap(([kind, needed]) =>
    Object.values(needed).some((names) => names.length > 0 && names.every((name) => given[name] !== undefined)) ? [kind] : [],
  );

/**
 * All accounts: those that serve a channel, all named ones, and the default accounts that have all their settings. An account that serves no
 * channel any more still receives reports about its messages.
 * @param value the checked settings by name
 */
function accountsOf(value: Readonly<Record<string, unknown>>, given: Environment): ProviderAccount[] {
  const kinds = kindsIn(given);
  const named = namedAccounts(given);
  const carrying = channels.flatMap((channel) => routesOf(given, channel).map(({ account }) => account));
  return [...new Set([...carrying, ...named, ...completeAccounts(given)])].map((name) => {
    const own = Object.keys(carrierSettings).flatMap((setting) => {
      const mine = value[ownSetting(name, setting)];
      if (mine === undefined) return [];
      // The former value of the kind's secret is none of this account's own secret. Its own former value comes after it.
      return [[setting, mine] as const, [`${setting}_OLD`, undefined] as const];
    });
    return accountOf(name, kinds.get(name) as ProviderKind, { ...value, ...Object.fromEntries(own) });
  });
}

/** The accounts of each channel. @param value the checked settings by name */
export function routingOf(value: Readonly<Record<string, unknown>>, given: Environment) {
  const routes = forEachChannel((channel) => routesOf(given, channel));
  const accounts = accountsOf(value, given);
  const sandboxChannels = channels.filter((channel) => routes[channel].every(({ account }) => account === 'sandbox'));
  return { routes, accounts, sandboxChannels, isSandboxOnly: sandboxChannels.length === channels.length };
}
