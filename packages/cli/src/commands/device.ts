/** The commands for what is signed in, for what signs, and for what signs in. */
import type { Command } from 'commander'
import { name } from '../ground/options.ts'
import { does } from './done.ts'

export function addDeviceCommands(program: Command): void {
  const sessions = program.command('sessions').description('Browsers and programs that are signed in to your account.')

  sessions
    .command('list')
    .description('Lists the sessions, each with the device that it ends with.')
    .addHelpText(
      'after',
      '\nThe server notes a use about every 15 minutes: the last one may be so much later than the list says.',
    )
    .action(does(async () => (await import('../devices/sessions.ts')).listSessions))

  sessions
    .command('name')
    .description('Gives a session another name, which only you can read.')
    .argument('<id>', 'the id, its beginning, or its present name')
    .argument('<name>', 'the new name', name)
    .action(does(async () => (await import('../devices/sessions.ts')).nameSession))

  sessions
    .command('end')
    .description('Signs a browser or program out at once.')
    .argument('<id>', 'the id, its beginning, or the name')
    .action(does(async () => (await import('../devices/sessions.ts')).endSession))

  const devices = program.command('devices').description('Devices whose signatures your account accepts.')

  devices
    .command('list')
    .description(
      'Lists the devices. Ends with 3 if one is not shown to be yours, or if the server denies a revocation or exchanged a name.',
    )
    .action(does(async () => (await import('../devices/devices.ts')).listDevices))

  devices
    .command('name')
    .description('Gives a device another name, which only you can read.')
    .argument('<id>', 'the id, its beginning, or its present name')
    .argument('<name>', 'the new name', name)
    .action(does(async () => (await import('../devices/devices.ts')).nameDevice))

  devices
    .command('revoke')
    .description('Signs a device out and ends its right to sign. Says which sessions go on, and what it signed lately.')
    .argument('<id>', 'the id, its beginning, or the name')
    .action(does(async () => (await import('../devices/devices.ts')).revokeDevice))
}

export function addPasskeyCommands(program: Command): void {
  const passkeys = program
    .command('passkeys')
    .description('Passkeys that sign in to your account. The page in your browser adds them, under Account.')

  passkeys
    .command('list')
    .description('Lists the passkeys, with the time of their last use.')
    .action(does(async () => (await import('../devices/passkeys.ts')).listPasskeys))

  passkeys
    .command('name')
    .description('Gives a passkey another name, which only you can read.')
    .argument('<id>', 'the id, its beginning, or its present name')
    .argument('<name>', 'the new name', name)
    .action(does(async () => (await import('../devices/passkeys.ts')).namePasskey))

  passkeys
    .command('remove')
    .description('Removes a passkey. It signs in no more, and what it has signed in is signed out.')
    .argument('<id>', 'the id, its beginning, or the name')
    .action(does(async () => (await import('../devices/passkeys.ts')).removePasskey))
}
