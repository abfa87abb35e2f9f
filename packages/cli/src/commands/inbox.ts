/** The commands for what guests have dropped. */
import { SORT_ORDERS } from '@blindkeep/client/find'
import { MAX_TEMPLATE_FOLDERS } from '@blindkeep/client/folderTemplate'
import { type Command, Option } from 'commander'
import { eachText, expiry, folderTemplate } from '../ground/options.ts'
import { where } from '../inbox/answers.ts'
import { does } from './done.ts'
import { RETAIN } from './files.ts'
import { withFilters } from './filters.ts'

const BATCH = 'all that a guest has sent in one go: the beginning of its id'
const WHERE = "only those whose guest answered so, as in 'Topic=Invoice'; may be repeated"
const INTO = "folders in it by what guests say, as in '{Matter number}/{sender}'"
const NOTES = 'write what the guest says beside the file, as NAME.blindkeep-note.txt'

export function addInboxCommands(program: Command): void {
  const inbox = program
    .command('inbox')
    .description('Lists, saves, adopts (keeps) and discards the files that guests have dropped.')
  const list = inbox
    .command('list')
    .description('Lists the drops. What guests say about them is not verified.')
    .option('--link <link>', 'only those of this link: its id or label')
  withFilters(list)
    .option('--where <answer>', WHERE, where)
    .option('--sort <order>', `the order: ${SORT_ORDERS.join(', ')}, or the label of a question`)
    .addHelpText(
      'after',
      `
Without --sort they are in the order of their arrival, and what was sent in one
go stands together.

Examples:
  blindkeep inbox list --from Ada --since 7d --sort largest
  blindkeep inbox list --sort 'Matter number' --where 'Topic=Invoice'`,
    )
    .action(does(async () => (await import('../inbox/list.ts')).list))

  addSave(inbox)
  addWatch(inbox)

  withChoice(inbox.command('adopt'))
    .alias('keep')
    .description(
      'Keeps drops in an album: they become files of it, signed by this device. The same line again goes on after a kill.',
    )
    .addOption(new Option('--album <album>', 'its id or name').conflicts('albumBy'))
    .option('--album-by <label>', 'the album that is called as the guest answered this; only into albums that exist')
    .option('--retain <time>', RETAIN, expiry)
    .addHelpText(
      'after',
      `
It needs --album or --album-by. With --all or --link it asks once.

Examples:
  blindkeep inbox adopt 3f2a91c0 --album Contracts
  blindkeep inbox adopt --all --kind image --from Ada --album Holidays
  blindkeep inbox adopt --all --album-by Topic`,
    )
    .action(does(async () => (await import('../inbox/adopt.ts')).adopt))

  withChoice(inbox.command('discard'))
    .description('Moves drops to the bin. Asks first. The same line again does the rest.')
    .addHelpText(
      'after',
      `
With --yes, of a batch, a link or all only those that an earlier command has
shown or saved.

Examples:
  blindkeep inbox discard 3f2a91c0
  blindkeep inbox discard --all --until 4w`,
    )
    .action(does(async () => (await import('../inbox/discard.ts')).discard))
}

function addSave(inbox: Command): void {
  withEnds(withChoice(inbox.command('save')))
    .description('Saves drops into a folder. The same line again goes on where it stopped, and saves nothing twice.')
    .requiredOption('--to <folder>', 'required: made if it is missing; nothing in it is ever replaced')
    .option('--into <template>', INTO, folderTemplate)
    .option('--notes', NOTES)
    .option('--again', 'save drops again that were saved into this folder before')
    .addHelpText(
      'after',
      `
In the braces of --into stands the label of a question, or sender. Each of its
folders, at most ${MAX_TEMPLATE_FOLDERS}, gets one safe name, whatever guests say; one without a
name is _.

Examples:
  blindkeep inbox save 3f2a91c0 --to .
  blindkeep inbox save --all --to incoming --discard
  blindkeep inbox save --all --to cases --into '{Matter number}/{sender}'`,
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
    .option('--into <template>', INTO, folderTemplate)
    .option('--notes', NOTES)
    .option('--exec <program>', 'run this program for each saved file, with its path as the last argument')
    .option('--exec-arg <argument>', 'an argument before the path; may be repeated', eachText)
    .addHelpText(
      'after',
      `
The program is run without a shell, one at a time. It finds the facts in
BLINDKEEP_FILE, _NAME, _SENDER, _NOTE, _SIZE, _DROP_ID, _LINK_ID, _LINK_LABEL
and _RECEIVED_AT, and in the file BLINDKEEP_FACTS, which is there while it runs,
all of it and the answers as JSON. Name, sender, note and answers are what the
guest says. Its output goes to standard error. A drop is adopted or discarded
only when the program has ended with 0. Otherwise it is run again for this file
at the next start.

SIGTERM ends it with exit status 0.

Examples:
  blindkeep inbox watch --save incoming --discard
  blindkeep inbox watch --save scans --exec /usr/local/bin/ocr --exec-arg --lang=de --adopt Scans`,
    )
    .action(does(async () => (await import('../inbox/watch.ts')).watch))
}

/** Which drops are meant. */
function withChoice(command: Command): Command {
  return withFilters(
    command
      .argument('[id...]', 'drops, by the beginning of their ids')
      .option('--batch <id>', BATCH)
      .option('--link <link>', 'the drops of this link, or those of them that fit: its id or label')
      .option('--all', 'all drops, or all that fit')
      .option('--where <answer>', WHERE, where),
  )
}

/** What becomes of a drop once its bytes are on the disk. */
function withEnds(command: Command): Command {
  return command
    .addOption(
      new Option('--adopt <album>', 'then adopt the drop: keep it in this album, by id or name').conflicts('discard'),
    )
    .addOption(new Option('--discard', 'then discard the drop on the server'))
}
