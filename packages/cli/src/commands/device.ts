/** The commands for what is signed in, for what signs, and for what signs in. */
import type { Command } from 'commander'
import type { OwnerFlags } from '../account/profile.ts'
import { name } from '../ground/options.ts'
import { done } from './done.ts'

export function addDeviceCommands(program: Command): void {
  const sessions = program.command('sessions').description('Browsers and programs that are signed in to your account.')

  sessions
    .command('list')
    .description('Lists the sessions, each with the device that it ends with.')
    .action(async (_flags, command: Command) => {
      const { listSessions } = await import('../devices/sessions.ts')
      await done(listSessions(command.optsWithGlobals<OwnerFlags>()))
    })

  sessions
    .command('name')
    .description('Gives a session another name, which only you can read.')
    .argument('<id>', 'the id, its beginning, or its present name')
    .argument('<name>', 'the new name', name)
    .action(async (id: string, given: string, _flags, command: Command) => {
      const { nameSession } = await import('../devices/sessions.ts')
      await done(nameSession(id, given, command.optsWithGlobals<OwnerFlags>()))
    })

  sessions
    .command('end')
    .description('Signs a browser or program out at once.')
    .argument('<id>', 'the id, its beginning, or the name')
    .action(async (id: string, _flags, command: Command) => {
      const { endSession } = await import('../devices/sessions.ts')
      await done(endSession(id, command.optsWithGlobals<OwnerFlags>()))
    })

  const devices = program.command('devices').description('Devices whose signatures your account accepts.')

  devices
    .command('list')
    .description(
      'Lists the devices. Ends with 3 if one was not added by you, or if the server denies a revocation or exchanged a name.',
    )
    .action(async (_flags, command: Command) => {
      const { listDevices } = await import('../devices/devices.ts')
      await done(listDevices(command.optsWithGlobals<OwnerFlags>()))
    })

  devices
    .command('name')
    .description('Gives a device another name, which only you can read.')
    .argument('<id>', 'the id, its beginning, or its present name')
    .argument('<name>', 'the new name', name)
    .action(async (id: string, given: string, _flags, command: Command) => {
      const { nameDevice } = await import('../devices/devices.ts')
      await done(nameDevice(id, given, command.optsWithGlobals<OwnerFlags>()))
    })

  devices
    .command('revoke')
    .description('Signs a device out and ends its right to sign. Says which sessions go on, and what it signed lately.')
    .argument('<id>', 'the id, its beginning, or the name')
    .action(async (id: string, _flags, command: Command) => {
      const { revokeDevice } = await import('../devices/devices.ts')
      await done(revokeDevice(id, command.optsWithGlobals<OwnerFlags>()))
    })
}

export function addPasskeyCommands(program: Command): void {
  const passkeys = program
    .command('passkeys')
    .description('Passkeys that sign in to your account. The page in your browser adds them, under Account.')

  passkeys
    .command('list')
    .description('Lists the passkeys, with the time of their last use.')
    .action(async (_flags, command: Command) => {
      const { listPasskeys } = await import('../devices/passkeys.ts')
      await done(listPasskeys(command.optsWithGlobals<OwnerFlags>()))
    })

  passkeys
    .command('name')
    .description('Gives a passkey another name, which only you can read.')
    .argument('<id>', 'the id, its beginning, or its present name')
    .argument('<name>', 'the new name', name)
    .action(async (id: string, given: string, _flags, command: Command) => {
      const { namePasskey } = await import('../devices/passkeys.ts')
      await done(namePasskey(id, given, command.optsWithGlobals<OwnerFlags>()))
    })

  passkeys
    .command('remove')
    .description('Removes a passkey. It signs in no more, and what it has signed in is signed out.')
    .argument('<id>', 'the id, its beginning, or the name')
    .action(async (id: string, _flags, command: Command) => {
      const { removePasskey } = await import('../devices/passkeys.ts')
      await done(removePasskey(id, command.optsWithGlobals<OwnerFlags>()))
    })
}
