/** The commands for albums. */
import type { Command } from 'commander'
import type { OwnerFlags } from '../account/profile.ts'
import { done } from './done.ts'
import { name } from './options.ts'

export function addAlbumCommands(program: Command): void {
  const album = program.command('album').description('Albums: what you keep is in one.')

  album
    .command('create')
    .description('Creates an album, and prints its id.')
    .argument('<name>', 'your name for it; only you can read it', name)
    .action(async (text: string, _flags, command: Command) => {
      const { createAlbum } = await import('../albums/albums.ts')
      await done(createAlbum(text, command.optsWithGlobals<OwnerFlags>()))
    })

  album
    .command('list')
    .description('Lists your albums.')
    .action(async (_flags, command: Command) => {
      const { listAlbums } = await import('../albums/albums.ts')
      await done(listAlbums(command.optsWithGlobals<OwnerFlags>()))
    })
}
