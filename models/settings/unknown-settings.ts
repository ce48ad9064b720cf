/** Environment variables that look like settings but are none (docs/contract/limits.md). All others belong to other programs. */
import { lookAlike } from '../rules/values/look-alike.js';
import { settingsNeeded } from './provider-account.js';

/** Names with these prefixes are ours. Prefixes such as `TEMPORAL_` or `STRIPE_` are also used by other programs. */
const prefixes = ['PROVIDER_', 'RATE_LIMIT_', 'REPORT_TIMEOUT_', 'SANDBOX_', 'SIGNUP_', 'WEBHOOK_'];
/** Names of receivers of webhooks in our documents, which may run in the same shell (verify/receivers). */
const ofReceivers = new Set(['WEBHOOK_SECRET', 'WEBHOOK_SECRETS']);

/** Settings that a named account has of its own. `EMAIL_FROM` is none of one carrier: other programs have a `DEFAULT_EMAIL_FROM`. */
const ofAccounts = [...new Set(Object.values(settingsNeeded).flatMap((needed) => Object.values(needed).flat()))].filter(
  (name) => name !== 'EMAIL_FROM',
);

/** @returns one sentence for each variable with one of our prefixes, with a name similar to a setting, of an unknown account, or for a file */
export function unknownSettings(env: Readonly<Record<string, string | undefined>>, known: readonly string[]): string[] {
  const names = new Set(known);
  return Object.entries(env).flatMap(([name, value]) => {
    if (value === undefined || value === '' || names.has(name) || ofReceivers.has(name) || isOfKubernetes(name, value)) return [];
    const content = name.replace(/_FILE$/, '');
    if (content !== name && names.has(content)) return [`${name} is not a setting: set ${content} to the content of the file`];
    const meant = withoutUnit(name, names) ?? settingLike(name, known);
    if (meant !== undefined) return [`${name} is not a setting. Did you mean ${meant}?`];
    const account = accountIn(name);
    if (account !== undefined)
      return [`${name} is not a setting: PROVIDER_ACCOUNTS names no account ${account} (docker compose reads it from .env only)`];
    return prefixes.some((prefix) => name.startsWith(prefix)) ? [`${name} is not a setting`] : [];
  });
}

/** `HANDOFF_TIMEOUT_MS`: the name of a setting with a unit. */
function withoutUnit(name: string, names: ReadonlySet<string>): string | undefined {
  const meant = name.replace(/_(?:MS|SECONDS)$/, '');
  return meant !== name && names.has(meant) ? meant : undefined;
}

/** Prefixes of build tools, and of a provider that other programs use too. */
const foreign = /^(?:REACT_APP|NEXT_PUBLIC|VITE|TF_VAR)(?:_|$)|(?:^|_)AWS$/;

/** `BACKUP_TWILIO_FROM`: backup. */
function accountIn(name: string): string | undefined {
  const setting = ofAccounts.find((each) => name.endsWith(`_${each}`));
  const account = setting === undefined ? '' : name.slice(0, -setting.length - 1);
  return !foreign.test(account) && /^[A-Z][A-Z0-9_]{0,31}$/.test(account) ? account.toLowerCase() : undefined;
}

/** The first word must be similar too: `AWS_REGION` is not a misspelt `SES_REGION`. */
function settingLike(name: string, known: readonly string[]): string | undefined {
  const meant = lookAlike(name, known);
  if (meant === undefined) return undefined;
  const isSameInOtherStyle = meant.replaceAll('_', '') === name.toUpperCase().replaceAll(/[_-]/g, '');
  return isSameInOtherStyle || lookAlike(firstWord(name), [firstWord(meant)]) !== undefined ? meant : undefined;
}

const firstWord = (name: string) => name.split('_')[0] ?? '';

/** Kubernetes gives containers the addresses of services: for one named `webhook`, in `WEBHOOK_PORT`. */
const isOfKubernetes = (name: string, value: string) =>
  /_SERVICE_(HOST|PORT)|_PORT_\d+_(TCP|UDP)/.test(name) || /^(tcp|udp):\/\//.test(value);
