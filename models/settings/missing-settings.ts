/** The text about a required setting that is absent: why it is needed, and how to get it. */
const secret =
  'It is created automatically only if everything is embedded, without DATABASE_URL and TEMPORAL_ADDRESS. Create one with: openssl rand -hex 32';

const reasons: Readonly<Record<string, string>> = {
  JWT_SECRET: secret,
  SECRET_KEY: secret,
  DATABASE_URL: 'Set it in the environment or in .env. Commands beside a running npm start find it in DATA_DIR',
};

/** One or more sentences for the list of faults. */
export const missingText = (name: string): string =>
  reasons[name] === undefined ? `${name} is not set` : `${name} is not set. ${reasons[name]}`;
