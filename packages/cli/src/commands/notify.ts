/** The commands for messages about new files. */
import type { AddChannel } from '@blindkeep/client/owner'
import { Argument, type Command } from 'commander'
import type { OwnerFlags } from '../account/profile.ts'
import { name } from '../ground/options.ts'
import type { AddChannelFlags } from '../notify/channels.ts'
import { done } from './done.ts'

/** A browser is added in that browser, under Account. */
const KINDS: readonly AddChannel['kind'][] = ['webhook', 'ntfy', 'email']

export function addNotifyCommands(program: Command): void {
  const notify = program.command('notify').description('Sends you a message when files arrive.')

  notify
    .command('list')
    .description('Lists where messages go, and what the server offers.')
    .action(async (_flags, command: Command) => {
      const { listChannels } = await import('../notify/channels.ts')
      await done(listChannels(command.optsWithGlobals<OwnerFlags>()))
    })

  notify
    .command('add')
    .description('Adds a channel. Prints the secret of a webhook, of others the id.')
    .addArgument(new Argument('<kind>').choices(KINDS))
    .option('--address-file <file>', 'the URL or e-mail address; or BLINDKEEP_CHANNEL_ADDRESS; or it is asked for')
    .option('--token-file <file>', 'the access token of an ntfy topic, if it has one; or BLINDKEEP_CHANNEL_TOKEN')
    .option('--name <text>', 'your name for it; only you can read it', name)
    .action(async (kind: AddChannel['kind'], _flags, command: Command) => {
      const { addChannel } = await import('../notify/channels.ts')
      await done(addChannel(kind, command.optsWithGlobals<AddChannelFlags>()))
    })

  notify
    .command('confirm')
    .description('Confirms an e-mail address with the code that it has got.')
    .argument('<id>', 'the id, its beginning, or the name')
    .argument('<code>', 'the digits in the message')
    .action(async (id: string, code: string, _flags, command: Command) => {
      const { confirmChannel } = await import('../notify/channels.ts')
      await done(confirmChannel(id, code, command.optsWithGlobals<OwnerFlags>()))
    })

  notify
    .command('test')
    .description('Sends a test message, and says whether it has arrived.')
    .argument('<id>', 'the id, its beginning, or the name')
    .action(async (id: string, _flags, command: Command) => {
      const { testChannel } = await import('../notify/channels.ts')
      await done(testChannel(id, command.optsWithGlobals<OwnerFlags>()))
    })

  notify
    .command('remove')
    .description('Removes a channel. Nothing more is sent there.')
    .argument('<id>', 'the id, its beginning, or the name')
    .action(async (id: string, _flags, command: Command) => {
      const { removeChannel } = await import('../notify/channels.ts')
      await done(removeChannel(id, command.optsWithGlobals<OwnerFlags>()))
    })
}
