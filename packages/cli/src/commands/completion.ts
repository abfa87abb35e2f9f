/** The command for shells. */
import { Argument, type Command } from 'commander'
import type { Shell } from '../completion/completion.ts'
import { EXIT } from '../ground/exits.ts'

const SHELLS: readonly Shell[] = ['bash', 'zsh', 'fish']

export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('Prints a script with which a shell completes commands, flags and files.')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .addHelpText(
      'after',
      `
In ~/.bashrc:                     source <(blindkeep completion bash)
In ~/.zshrc, after compinit:      source <(blindkeep completion zsh)
In ~/.config/fish/config.fish:    blindkeep completion fish | source`,
    )
    .action(async (shell: Shell) => {
      const { completion } = await import('../completion/completion.ts')
      process.stdout.write(completion(program, shell))
      process.exitCode = EXIT.done
    })
}
