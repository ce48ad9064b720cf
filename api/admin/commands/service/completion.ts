import { type Command, type ParsedArguments, UsageError } from '../../command.js';
import { completionOf, shells } from '../../completion.js';

/** @param commands what is completed */
export const completionCommand = (commands: () => readonly Command[]): Command => ({
  name: 'completion',
  takes: ['shell'],
  isLocal: true,
  summary: 'Print a script that completes these commands: source <(tidings-admin completion bash). The shell is bash or zsh.',
  async run({ positionals }: ParsedArguments) {
    const [given] = positionals;
    const shell = shells.find((each) => each === given);
    if (shell === undefined) throw new UsageError(`The shell must be one of: ${shells.join(', ')}`);
    const script = completionOf(shell, commands());
    return { ok: true, text: script, data: { script } };
  },
});
