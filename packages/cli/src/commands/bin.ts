/** The commands for what was discarded or deleted. */
import type { Command } from 'commander'
import { does } from './done.ts'

const WHICH = 'the id, its beginning, or the name'

export function addBinCommands(program: Command): void {
  const bin = program.command('bin').description('What you have discarded or deleted, as long as it can be restored.')

  bin
    .command('list')
    .description('Lists what is in the bin, and until when each can be restored.')
    .action(does(async () => (await import('../bin/bin.ts')).listBin))

  bin
    .command('restore')
    .description('Brings discarded drops back to the inbox, and deleted files back to their albums.')
    .argument('[item...]', WHICH)
    .option('--all', 'all that is in the bin')
    .action(does(async () => (await import('../bin/bin.ts')).restore))

  bin
    .command('empty')
    .description('Deletes for good what is in the bin, or only these items, and frees their space. Asks first.')
    .argument('[item...]', WHICH)
    .action(does(async () => (await import('../bin/bin.ts')).emptyBin))
}
