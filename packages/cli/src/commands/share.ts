/** The commands for shares, of both sides. */
import type { Command } from 'commander'
import { downloads, downloadsLimit, expiry, name, newName } from '../ground/options.ts'
import { does } from './done.ts'

export function addShareCommands(program: Command): void {
  const share = program.command('share').description('Shares: you show files to everyone who has the address.')
  addCreate(share)

  share
    .command('list')
    .description(
      'Lists your shares: how long they last, how often they were opened and downloaded, how many files they show, their names, and those of their first files.',
    )
    .option('--file <file>', 'only those that show this file now: its name, its id, or the beginning of its id')
    .option('--album <album>', 'only those that show a file of this album now')
    .action(does(async () => (await import('../shares/ownShares.ts')).listShares))

  share
    .command('show')
    .description('Prints the address of a share again, and what is in it.')
    .argument('<id>', 'the id, its beginning, or the name')
    .option('--no-qr', 'leave the QR code out')
    .action(does(async () => (await import('../shares/ownShares.ts')).showShare))

  share
    .command('rename')
    .description('Gives a share another name, which only you can read. Its address stays as it is.')
    .argument('<id>', 'the id, its beginning, or the present name')
    .argument('<name>', 'the new name; an empty text removes it', newName)
    .action(does(async () => (await import('../shares/ownShares.ts')).renameShare))

  share
    .command('limit')
    .description(
      'Limits how many visits may download, those before included. A file that was downloaded can be passed on.',
    )
    .argument('<id>', 'the id, its beginning, or the name')
    .argument('<number>', 'how many, 1 to 250; or unlimited', downloadsLimit)
    .action(does(async () => (await import('../shares/ownShares.ts')).limitShare))

  share
    .command('refresh')
    .description(
      'Brings the shares that follow an album up to date. Commands that change an album do it by themselves; this does it after one that was stopped.',
    )
    .action(does(async () => (await import('../changes/followAlbums.ts')).refreshShares))

  share
    .command('revoke')
    .description('Ends a share: its address shows nothing any more.')
    .argument('<id>', 'the id, its beginning, or the name')
    .action(does(async () => (await import('../shares/ownShares.ts')).revokeShare))

  addOpen(program)
}

function addCreate(share: Command): void {
  share
    .command('create')
    .description('Shows files to everyone who has the address.')
    .argument('[name-or-id...]', 'files in your albums: names, ids, or the beginnings of ids')
    .option('--album <album>', 'all files of an album instead: its name, its id, or the beginning of its id')
    .option('--follow', 'with --album: files that come into it later are shown too, and no file that has left it')
    .option('--name <text>', 'your name for the share; only you can read it', name)
    .option(
      '--expires <time>',
      'how long it shows them (90m, 12h, 7d, 4w), or until when; without it, until revoked',
      expiry,
    )
    .option('--downloads <number>', 'how many visits may download; then the share shows nothing to others', downloads)
    .option('--passphrase', 'receivers need a passphrase; it is asked for, or BLINDKEEP_PASSPHRASE')
    .option('--passphrase-file <file>', 'receivers need the passphrase in this file')
    .option('--no-qr', 'leave the QR code out')
    .addHelpText(
      'after',
      `
A file that came through a link is shared with what its guest wrote: note,
sender and answers. With --follow also what you adopt into the album later.

Examples:
  blindkeep share create 'contract.pdf' 3f8a21c0 --expires 2w --name 'For the notary'
  blindkeep share create --album Wedding --follow`,
    )
    .action(does(async () => (await import('../shares/ownShares.ts')).createShare))
}

function addOpen(program: Command): void {
  program
    .command('open')
    .description('Lists the files of a share, and saves them with --to. Needs no account.')
    .argument('<address>', 'the whole address, with the part after #, in quotes; or - for standard input')
    .option('--to <folder>', 'save the files here; nothing is replaced, equal names get numbers')
    .option('--only <name>', 'the files of this name only')
    .option(
      '--passphrase-file <file>',
      'the passphrase, if the share has one; or BLINDKEEP_PASSPHRASE; or it is asked for',
    )
    .addHelpText(
      'after',
      `
The address is all that is needed to read the files, unless the share has a
passphrase. Other users of this machine can see the arguments of commands: from
standard input they cannot.

Examples:
  blindkeep open 'https://keep.example.org/v/3f…#…'
  blindkeep open - --to photos < address`,
    )
    .action(does(async () => (await import('../shares/openAddress.ts')).openAddress))
}
