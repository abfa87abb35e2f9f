/** The commands for what guests have dropped. */
import { type Command, Option } from 'commander'
import { expiry } from '../ground/options.ts'
import { does } from './done.ts'
import { RETAIN } from './files.ts'

const BATCH = 'all that a guest has sent in one go: the beginning of its id'
const NOTES = 'write what the guest says beside the file, as NAME.blindkeep-note.txt'

export function addInboxCommands(program: Command): void {
  const inbox = program.command('inbox').description('Lists, saves, adopts and discards what guests have dropped.')
  inbox
    .command('list')
    .description('Lists the drops. What guests say about them is not verified.')
    .option('--link <link>', 'only those of this link: its id or label')
    .action(does(async () => (await import('../inbox/list.ts')).list))

  addSave(inbox)
  addWatch(inbox)

  inbox
    .command('adopt')
    .description('Turns drops into files of an album, and signs for them. The same line again goes on after a kill.')
    .argument('[id...]', 'drops, by the beginning of their ids')
    .option('--batch <id>', BATCH)
    .requiredOption('--album <album>', 'required: its id or name')
    .option('--retain <time>', RETAIN, expiry)
    .addHelpText('after', '\nExample:\n  blindkeep inbox adopt 3f2a91c0 --album Contracts')
    .action(does(async () => (await import('../inbox/adopt.ts')).adopt))

  inbox
    .command('discard')
    .description('Deletes drops from the server. Asks first.')
    .argument('[id...]', 'drops, by the beginning of their ids')
    .option('--batch <id>', BATCH)
    .option('--link <link>', 'all that this link has brought so far')
    .action(does(async () => (await import('../inbox/discard.ts')).discard))
}

function addSave(inbox: Command): void {
  withEnds(inbox.command('save'))
    .description('Saves drops into a folder. The same line again goes on where it stopped, and saves nothing twice.')
    .argument('[id...]', 'drops, by the beginning of their ids')
    .requiredOption('--to <folder>', 'required: made if it is missing; nothing in it is ever replaced')
    .option('--batch <id>', BATCH)
    .option('--link <link>', 'the drops of this link: its id or label')
    .option('--all', 'all drops')
    .option('--notes', NOTES)
    .option('--again', 'save drops again that were saved into this folder before')
    .addHelpText(
      'after',
      `
Examples:
  blindkeep inbox save 3f2a91c0 --to .
  blindkeep inbox save --all --to incoming --discard`,
    )
    .action(does(async () => (await import('../inbox/save.ts')).save))
}

function addWatch(inbox: Command): void {
  withEnds(inbox.command('watch'))
    .description(
      'Saves every drop into a folder as it arrives, until it is stopped. It goes on after every interruption.',
    )
    .requiredOption('--save <folder>', 'required: made if it is missing; nothing in it is ever replaced')
    .option('--link <link>', 'only the drops of this link: its id or label')
    .option('--notes', NOTES)
    .option('--exec <program>', 'run this program for each saved file, with its path as the last argument')
    .option(
      '--exec-arg <argument>',
      'an argument before the path; may be repeated',
      (argument: string, before: readonly string[] = []) => [...before, argument],
    )
    .addHelpText(
      'after',
      `
The program is run without a shell, one at a time. It finds the facts in
BLINDKEEP_FILE, _NAME, _SENDER, _NOTE, _SIZE, _DROP_ID, _LINK_ID, _LINK_LABEL
and _RECEIVED_AT; name, sender and note are what the guest says. Its output goes
to standard error. A drop is adopted or discarded only when the program has
ended with 0. Otherwise it is run again for this file at the next start.

SIGTERM ends it with exit status 0.

Examples:
  blindkeep inbox watch --save incoming --discard
  blindkeep inbox watch --save scans --exec /usr/local/bin/ocr --exec-arg --lang=de --adopt Scans`,
    )
    .action(does(async () => (await import('../inbox/watch.ts')).watch))
}

/** What becomes of a drop once its bytes are on the disk. */
function withEnds(command: Command): Command {
  return command
    .addOption(
      new Option('--adopt <album>', 'then adopt the drop into this album: its id or name').conflicts('discard'),
    )
    .addOption(new Option('--discard', 'then discard the drop on the server'))
}
