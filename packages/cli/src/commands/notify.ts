/** The commands for messages about new files. */
import type { AddChannel } from '@blindkeep/client/owner'
import { Argument, type Command } from 'commander'
import { name } from '../ground/options.ts'
import { does } from './done.ts'

/** A browser is added in that browser, under Account. */
const KINDS: readonly AddChannel['kind'][] = ['webhook', 'ntfy', 'email']

export function addNotifyCommands(program: Command): void {
  const notify = program.command('notify').description('Sends you a message when files arrive.')

  notify
    .command('list')
    .description('Lists where messages go, and what the server offers.')
    .action(does(async () => (await import('../notify/channels.ts')).listChannels))

  notify
    .command('add')
    .description('Adds a channel. Prints the secret of a webhook, of others the id.')
    .addArgument(new Argument('<kind>').choices(KINDS))
    .option('--address-file <file>', 'the URL or e-mail address; or BLINDKEEP_CHANNEL_ADDRESS; or it is asked for')
    .option('--token-file <file>', 'the access token of an ntfy topic, if it has one; or BLINDKEEP_CHANNEL_TOKEN')
    .option('--name <text>', 'your name for it; only you can read it', name)
    .action(does(async () => (await import('../notify/channels.ts')).addChannel))

  notify
    .command('confirm')
    .description('Confirms an e-mail address with the code that it has got.')
    .argument('<id>', 'the id, its beginning, or the name')
    .argument('<code>', 'the digits in the message')
    .action(does(async () => (await import('../notify/channels.ts')).confirmChannel))

  notify
    .command('test')
    .description('Sends a test message, and says whether it has arrived.')
    .argument('<id>', 'the id, its beginning, or the name')
    .action(does(async () => (await import('../notify/channels.ts')).testChannel))

  notify
    .command('remove')
    .description('Removes a channel. Nothing more is sent there.')
    .argument('<id>', 'the id, its beginning, or the name')
    .action(does(async () => (await import('../notify/channels.ts')).removeChannel))
}
