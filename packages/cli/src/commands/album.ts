/** The commands for albums. */
import type { Command } from 'commander'
import type { OwnerFlags } from '../account/profile.ts'
import type { DeleteAlbumFlags } from '../albums/deleteAlbum.ts'
import { name, newName } from '../ground/options.ts'
import { done } from './done.ts'

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
    .command('rename')
    .description('Gives an album another name, which only you can read. Its files stay as they are.')
    .argument('<album>', 'the id, its beginning, or the present name')
    .argument('<name>', 'the new name; an empty text removes it', newName)
    .action(async (given: string, text: string, _flags, command: Command) => {
      const { renameAlbum } = await import('../albums/albums.ts')
      await done(renameAlbum(given, text, command.optsWithGlobals<OwnerFlags>()))
    })

  album
    .command('delete')
    .description('Deletes an empty album, or with --with-files one with all its files. Asks first.')
    .argument('<album>', 'the id, its beginning, or the name')
    .option('--with-files', 'delete the files of the album, too')
    .action(async (given: string, _flags, command: Command) => {
      const { deleteAlbum } = await import('../albums/deleteAlbum.ts')
      await done(deleteAlbum(given, command.optsWithGlobals<DeleteAlbumFlags>()))
    })

  album
    .command('list')
    .description('Lists your albums.')
    .action(async (_flags, command: Command) => {
      const { listAlbums } = await import('../albums/albums.ts')
      await done(listAlbums(command.optsWithGlobals<OwnerFlags>()))
    })
}
