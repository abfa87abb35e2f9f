/** The command for a server that has moved. */
import type { Command } from 'commander'
import { does } from './done.ts'

export function addMoveCommand(program: Command): void {
  program
    .command('move')
    .description('Follows a server to its new address, if that proves to be the server that this machine knows.')
    .argument('[server]', 'the new address')
    .option('--forget <server>', 'forget what this machine knows of this server, or that it has moved')
    .addHelpText(
      'after',
      `
The new address must show the keys of the old one, and a statement about the
move that both addresses’ keys have signed; and what answers at the old address
must not deny it. Then you are asked. Keys and receipts that this machine has
seen are compared with the new address from then on, and no command sends
anything to the old one. Your session is forgotten, not sent: sign in again.
If nothing is known here of the old address, sign in at the new one like on a
new machine.
Examples:
  blindkeep move https://drop.example.org
  blindkeep move --forget https://keep.example.org`,
    )
    .action(does(async () => (await import('../moving/move.ts')).move))
}
