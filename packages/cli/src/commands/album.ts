/** The commands for albums. */
import type { Command } from 'commander'
import { name, newName } from '../ground/options.ts'
import { does } from './done.ts'

export function addAlbumCommands(program: Command): void {
  const album = program.command('album').description('Albums: what you keep is in one.')

  album
    .command('create')
    .description('Creates an album, and prints its id.')
    .argument('<name>', 'your name for it; only you can read it', name)
    .action(does(async () => (await import('../albums/albums.ts')).createAlbum))

  album
    .command('rename')
    .description('Gives an album another name, which only you can read. Its files stay as they are.')
    .argument('<album>', 'the id, its beginning, or the present name')
    .argument('<name>', 'the new name; an empty text removes it', newName)
    .action(does(async () => (await import('../albums/albums.ts')).renameAlbum))

  album
    .command('delete')
    .description('Deletes an empty album, or with --with-files one with all its files. Asks first.')
    .argument('<album>', 'the id, its beginning, or the name')
    .option('--with-files', 'delete the files of the album, too')
    .action(does(async () => (await import('../albums/deleteAlbum.ts')).deleteAlbum))

  album
    .command('list')
    .description('Lists your albums.')
    .action(does(async () => (await import('../albums/albums.ts')).listAlbums))
}
