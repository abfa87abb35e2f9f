/** The commands for the files that an account keeps. */
import { type Command, Option } from 'commander'
import { expiry } from '../ground/options.ts'
import { does } from './done.ts'
import { withFilters, withOrder } from './filters.ts'

export const RETAIN = 'the files cannot be deleted for so long, or until then; asks once'

export function addFilesCommands(program: Command): void {
  addUpload(program)
  addReading(program)
  addChanging(program)
}

function addUpload(program: Command): void {
  program
    .command('upload')
    .description('Seals files and uploads them into an album. The same line again goes on where it stopped.')
    .argument('<path...>', 'files or folders')
    .requiredOption('--album <album>', 'required: its name, its id, or the beginning of its id')
    .option('--again', 'upload files again that this profile has uploaded into this album before')
    .option('--then-delete', 'delete each file here, once the server says that it has read exactly these bytes')
    .option('--receipts <folder>', 'where to save the receipts; without it the profile keeps them')
    .option('--retain <time>', RETAIN, expiry)
    .addHelpText(
      'after',
      `
In folders, symbolic links, saved receipts and the home of this program with
its keys are left out. A file that has changed is uploaded as a new one.

--then-delete asks once before it begins. For each file the server reads every
byte again; this machine seals the file again and compares it with what was
signed. That the server has read it, is its word. A file of which it does not say
so, or that has changed meanwhile, is kept, and a line says why.

--retain protects files that had landed before, too, for so long from now on.

Examples:
  blindkeep upload --album Scans letter.pdf 2026/
  blindkeep upload --album Backups nightly.tar --then-delete --yes
  blindkeep upload --album Backups nightly.tar --retain 30d --yes`,
    )
    .action(does(async () => (await import('../upload/upload.ts')).upload))
}

function addReading(program: Command): void {
  const ls = program
    .command('ls')
    .description('Lists the files of the account, or of one album.')
    .argument('[album]', 'its name, its id, or the beginning of its id')
  withOrder(withFilters(ls), 'name')
    .addHelpText('after', '\nExample:\n  blindkeep ls Scans --kind document --since 7d --sort newest')
    .action(does(async () => (await import('../assets/ls.ts')).ls))

  addFind(program)

  program
    .command('get')
    .description('Saves files of the account on this machine. A broken connection is continued where it broke.')
    .argument('[file...]', 'the id of a file, the beginning of its id, or its name')
    .option('--album <album>', 'all files of an album: its name, its id, or the beginning of its id')
    .option(
      '--to <folder>',
      'where to save them, made if it is missing; by default here. Nothing is replaced: names that are taken get a number',
    )
    .option('-o, --output <path>', 'save one file under this path; - writes it to standard output')
    .option('--zip <path>', 'save them as one ZIP under this path; - writes it to standard output')
    .addHelpText(
      'after',
      `
With - every piece is verified before it is written, but only the end shows that
the file is whole. If the exit status is not 0, discard what was written.

In a ZIP names are made safe, and equal ones get a number. It has its name once
it is whole. A file that cannot be opened is left out, with exit status 1 or 3.

Examples:
  blindkeep get report.pdf 3fa85f64 --to ~/Documents
  blindkeep get project.tar -o - | tar x
  blindkeep get --album Holidays --zip holidays.zip`,
    )
    .action(does(async () => (await import('../assets/get.ts')).get))
}

function addChanging(program: Command): void {
  program
    .command('rename')
    .description('Gives a file of the account another name. Shares keep the name that they were made with.')
    .argument('<file>', 'the id of a file, the beginning of its id, or its name')
    .argument('<name>', 'its new name')
    .action(does(async () => (await import('../assets/rename.ts')).rename))

  program
    .command('mv')
    .description('Moves files of the account into another album. The same line again goes on where it stopped.')
    .argument('<file...>', 'the id of a file, the beginning of its id, or its name')
    .requiredOption('--album <album>', 'required: its name, its id, or the beginning of its id')
    .addHelpText(
      'after',
      `
The key of a file follows from its album: it is read, sealed again and uploaded
under a new id. The first one is deleted once the server has read every byte of
the copy again. Until then both count against the storage. A share that shows
the file shows it no more. The copy has new receipts: save those of the arrival
before, or a proof, with blindkeep receipts FILE --to FOLDER, or --proof.

Example:
  blindkeep mv scan-1.pdf scan-2.pdf --album Taxes`,
    )
    .action(does(async () => (await import('../assets/mv.ts')).mv))

  program
    .command('rm')
    .description('Deletes files of the account. Files that must be retained stay.')
    .argument('<file...>', 'the id of a file, the beginning of its id, or its name')
    .action(does(async () => (await import('../assets/rm.ts')).rm))

  program
    .command('retain')
    .description('Protects files from deletion until a time. It can be put off later, but not brought forward.')
    .argument('[file...]', 'the id of a file, the beginning of its id, or its name')
    .option('--album <album>', 'all files of an album: its name, its id, or the beginning of its id')
    .addOption(new Option('--for <time>', 'how long from now on, as in 30d').argParser(expiry).conflicts('until'))
    .addOption(new Option('--until <time>', 'until when, as in 2030-12-31T18:00:00Z').argParser(expiry))
    .addHelpText(
      'after',
      `
Before that time the files cannot be deleted: neither by you, nor by the
operator with the commands of the server. They count in your quota, and the
account cannot be deleted either. It does not protect from the machine of the
server breaking: keep a second copy.

Examples:
  blindkeep retain contract.pdf --until 2027-01-31T00:00:00Z
  blindkeep retain --album Backups --for 30d --yes`,
    )
    .action(does(async () => (await import('../assets/retain.ts')).retain))
}

function addFind(program: Command): void {
  const command = program
    .command('find')
    .description('Finds files in inbox and albums. All words must be in name, sender, link or album.')
    .argument('[word...]', 'words or parts of words, in any order; case and accents do not count')
    .addOption(new Option('--in <place>', 'only there').choices(['inbox', 'albums']))
    .option('--link <link>', 'only drops of this link: its id or label')
  withOrder(withFilters(command), 'newest')
    .option('--no-index', 'keep no names of drops in this profile, and delete those that it keeps')
    .addHelpText(
      'after',
      `
The server cannot read names, so this machine reads them, each once: the profile
keeps them, sealed, until you sign out.

Examples:
  blindkeep find invoice 2026 --from Ada
  blindkeep find --in inbox --kind image --since 7d --larger 10MB --sort largest`,
    )
    .action(does(async () => (await import('../find/find.ts')).find))
}
