/** The commands that check what the server says of the files that it keeps. */
import { type Command, Option } from 'commander'
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
    .addOption(
      new Option(
        '--proof',
        'save a proof of each named file instead: a receipt with the key of this one file',
      ).conflicts('check'),
    )
    .addHelpText(
      'after',
      `
Without --check the list is what the server says.

A receipt shows no other person which file it is about; a proof does, to each
who has it and the file (blindkeep receipt check --help). --proof reads each file
as a whole, checks the proof and writes it into the folder of --to, or here, as
FILE.ID.blindkeep-proof.json. Give it only to those to whom you would give the
file: with the sealed bytes it opens this file, and it says what its sender said
with it. It opens nothing else of the account, and no other version of the file.

Examples:
  blindkeep receipts --check --to receipts/
  blindkeep receipts contract.pdf --proof`,
    )
    .action(does(async () => (await import('../custody/receipts.ts')).receipts))

  const receipt = program.command('receipt').description('Saved receipts, and proofs about files: without an account.')

  receipt
    .command('check')
    .description('Checks a saved receipt; of a proof, with the file, whether it is about this very file.')
    .argument('<proof>', 'a receipt or proof, or several as JSON Lines; or - for standard input')
    .argument('[file]', 'the file')
    .option('--keys <file|url>', 'the keys of the server: a file, or its address to ask')
    .option('--server <address>', 'the server that it should be of; asked for its keys if this machine knows none')
    .addHelpText(
      'after',
      `
With the file it shows: the server signed that at this time it had sealed bytes,
and the file, sealed again with the key in the proof, gives exactly these bytes.
Only then does it print what the sealed header says: name, sender, note, answers.
Without the file it prints what is signed, and nothing else.

It does not show through which link the file came or for whom, that anyone could
open it, who sent it, or that the server still has it. The time is the server's.

Whose key signed, only keys from elsewhere show: --keys, those that this machine
knows of the server, or its address. Nothing is asked on the network unless an
address is given. A saved list of keys is what a server answers at
/.well-known/service/attestation-keys. Do not check a proof on a page of the
server that it is about: it would learn the key.

Exit status: 0 it holds, without the file the receipt alone; 1 it does not, or
could not be checked; 2 with an answer on standard output (--json: unknown_key):
what it says fits, but the keys came with it, so nothing shows whose they are;
2 without one: a wrong call; 3 the keys that the server shows are not to be
trusted, 4 it calls itself by another address.

Examples:
  blindkeep receipt check contract.pdf.blindkeep-proof.json contract.pdf
  blindkeep receipt check proofs.jsonl contract.pdf --server https://keep.example.org`,
    )
    .action(does(async () => (await import('../custody/checkReceipt.ts')).checkReceipt))

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
