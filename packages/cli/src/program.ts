/** All commands of `blindkeep`, with all their options. */
import { Command } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { addAccountCommands } from './commands/account.ts'
import { addAlbumCommands } from './commands/album.ts'
import { addBinCommands } from './commands/bin.ts'
import { addCompletionCommand } from './commands/completion.ts'
import { addCustodyCommands } from './commands/custody.ts'
import { addDeviceCommands, addPasskeyCommands } from './commands/device.ts'
import { addDropCommand } from './commands/drop.ts'
import { addFilesCommands } from './commands/files.ts'
import { addInboxCommands } from './commands/inbox.ts'
import { addLinkCommands } from './commands/link.ts'
import { addMoveCommand } from './commands/move.ts'
import { addNotifyCommands } from './commands/notify.ts'
import { addPagesCommands } from './commands/pages.ts'
import { addShareCommands } from './commands/share.ts'
import { refuseTwiceAndEmpty } from './ground/options.ts'

const EXITS = `
Exit status:
  0  done
  1  not everything was done; each reason is a line on standard error
  2  the call is wrong
  3  something is not as it was signed or sealed: the server, or something in
     front of it, lies or is broken
  4  the server has moved to another address: see blindkeep move
  130  stopped by Ctrl-C`

export function createProgram(): Command {
  const program = new Command('blindkeep')
    .description(manifest.description)
    .version(manifest.version)
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .option('--json', 'print one JSON object a line on standard output')
    .option('--quiet', 'print nothing but errors')
    .option('--yes', 'do not ask for consent')
    .option('--profile <name>', 'the account to use, if you have several; or BLINDKEEP_PROFILE')
    .addHelpText('afterAll', EXITS)

  addDropCommand(program)
  addAccountCommands(program)
  addMoveCommand(program)
  addLinkCommands(program)
  addAlbumCommands(program)
  addBinCommands(program)
  addShareCommands(program)
  addDeviceCommands(program)
  addPasskeyCommands(program)
  addNotifyCommands(program)
  addCompletionCommand(program)
  addFilesCommands(program)
  addCustodyCommands(program)
  addInboxCommands(program)
  addPagesCommands(program)
  refuseTwiceAndEmpty(program)
  return program
}
