/** `tidings login` */
import { Tidings } from '../client/index.js';
import { type Command, Interrupted, textOption, UsageError } from './command.js';
import { readInput } from './input.js';
import { localUrl, writeSettings } from './settings.js';
import { counted, type Terminal } from './terminal.js';

export const login: Command = {
  usage: '[--url URL]',
  summary: 'store an API key and the address of the service',
  help: `  --url URL   the service (default ${localUrl})

The key is read from standard input, so that no shell history contains it.
It is checked, then stored in ~/.config/tidings/config.json with mode 0600.
TIDINGS_API_KEY and TIDINGS_URL override the stored values.`,
  options: { url: { type: 'string' } },
  arguments: [0, 0],
  async run(context) {
    const { terminal, env, signal } = context;
    const baseUrl = textOption(context, 'url') ?? env.TIDINGS_URL ?? localUrl;
    if (!URL.canParse(baseUrl)) throw new UsageError('--url must be a URL');
    const apiKey = (terminal.isInteractive ? await askHidden(terminal, 'API key: ', signal) : await readInput(context)).trim();
    if (apiKey === '') throw new UsageError('no API key was given');
    const { balance } = await new Tidings({ apiKey, baseUrl }).balance({ signal });
    const file = writeSettings(env, { apiKey, baseUrl });
    terminal.print(`Stored in ${file}. The balance is ${counted(balance, 'credit')}.`, { file, balance });
  },
};

/** Reads a line from the terminal without showing it. */
function askHidden({ streams }: Terminal, question: string, signal: AbortSignal): Promise<string> {
  const { stdin, stderr } = streams;
  stderr.write(question);
  stdin.setRawMode(true);
  stdin.setEncoding('utf8');
  return new Promise<string>((resolve, reject) => {
    let line = '';
    const read = (chunk: string) => {
      for (const character of chunk) {
        if (character === '\r' || character === '\n' || character === '\u0004') return resolve(line);
        if (character === '\u0003') return reject(new Interrupted('interrupted'));
        line = character === '\u007f' ? line.slice(0, -1) : line + character;
      }
    };
    stdin.on('data', read);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  }).finally(() => {
    stdin.setRawMode(false);
    stdin.removeAllListeners('data');
    stdin.pause();
    stderr.write('\n');
  });
}
