/** The commands for what is signed in, and for what signs. */
import type { Command } from 'commander'
import type { OwnerFlags } from '../account/profile.ts'
import { done } from './done.ts'
import { name } from './options.ts'

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
