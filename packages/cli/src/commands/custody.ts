/** The commands that check what the server says of the files that it keeps. */
import type { Command } from 'commander'
import { countOrShare, share, size } from '../ground/options.ts'
import { does } from './done.ts'

export function addCustodyCommands(program: Command): void {
  program
    .command('verify')
    .description('Asks whether the server holds what was signed: all files, those of an album, or the named ones.')
    .argument('[file...]', 'the id of a file, the beginning of its id, or its name')
    .option('--album <album>', 'all files of this album')
    .option('--deep', 'the server reads and hashes every byte again; it allows so many bytes an hour')
    .option(
      '--sample <number>',
      'also open so many random segments of 1 MiB here, or a share of all, as in 1%',
      countOrShare,
    )
    .option('--find <share>', 'as many as find the loss of this share of the segments, as in 1%', share)
    .option('--sure <share>', 'with this probability (99%)', share)
    .option('--bytes <size>', 'as many as this size allows, as in 50MiB', size)
    .addHelpText(
      'after',
      `
Held means: a device of the account has signed the file, and the answer marks
files whose device was revoked since;
its name and its beginning open under the account's key; the server's receipts
are for exactly the signed hashes; and the server vouches now for exactly these
hashes: by its sizes and records, or with --deep after it has read every byte.
It does not mean that you may delete your own copy: for that, upload with
--then-delete compares the copy. Whatever fails is a doubt, never a yes.

A sample downloads segments that are drawn at random after the list of files is
fixed, and opens them under keys that the server lacks. So it does not rely on
the server's word: 459 samples find with 99% that 1% of the segments are lost.
They do not find a single lost file among thousands; the question about each
file, which comes with them, is for that. A sample cannot tell:
- an older version of a file from the present one, unless this profile has
  sealed the file or read it to its end (the answer counts these samples);
- what the sender of a file from the inbox has made of it, who knows its key.
The cost is said before, and asked about above 100 MiB (--yes). A run leaves a
line in the folder samples of the profile. It convinces you, and no one else.

Exit status 1 if a file is in doubt or a sample is bad or could not be asked, 3
if the reason is a lie, or bytes that are not what was signed.

Examples:
  blindkeep verify
  blindkeep verify --sample 100 --quiet
  blindkeep verify --find 1% --sure 99% --album Backups --yes
  blindkeep verify --deep --album Backups`,
    )
    .action(does(async () => (await import('../custody/verify.ts')).verify))

  program
    .command('receipts')
    .description('Lists the receipts of all files, or of the named ones.')
    .argument('[file...]', 'the id of a file, the beginning of its id, or its name')
    .option('--check', 'check signatures, keys and the order of the log, and that each file has its receipts')
    .option('--to <folder>', 'save them, a file for each file of the account')
    .addHelpText(
      'after',
      `
Without --check the list is what the server says.

Example:
  blindkeep receipts --check --to receipts/`,
    )
    .action(does(async () => (await import('../custody/receipts.ts')).receipts))

  program
    .command('audit')
    .description(
      'Checks all receipts of the account against each other and against all that this machine has ever seen.',
    )
    .addHelpText(
      'after',
      `
The first call remembers the server's keys. Every receipt that a command sees is
remembered: number, hash and time. So a server that replaces, forks or forgets
what it has signed is found out. Then the exit status is 3, and the evidence is
saved in a folder of the profile. Call it regularly, for example every night.`,
    )
    .action(does(async () => (await import('../custody/audit.ts')).audit))
}
