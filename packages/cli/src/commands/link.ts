/** The commands for upload links. */
import { MAX_QUESTIONS } from '@blindkeep/protocol/suites'
import type { Command } from 'commander'
import {
  countLimit,
  expiry,
  fromLine,
  messageLine,
  name,
  newExpiry,
  newName,
  sizeLimit,
  titleLine,
  totalLimit,
} from '../ground/options.ts'
import { fileKinds, question } from '../links/questionOptions.ts'
import { does } from './done.ts'

const QUESTION = `what guests are asked; may be repeated, up to ${MAX_QUESTIONS.count} times`

export function addLinkCommands(program: Command): void {
  const link = program.command('link').description('Links through which other people send you files.')
  addCreate(link)

  link
    .command('list')
    .description(
      'Lists the links that take files: full or not, what has landed of what they take, pending files, expiry, label.',
    )
    .option('--all', 'also those that have ended')
    .action(does(async () => (await import('../links/ownLinks.ts')).listLinks))

  link
    .command('show')
    .description('Prints the address of a link again, and all that is known of it.')
    .argument('<id>', 'the id, its beginning, or the label')
    .option('--no-qr', 'leave the QR code out')
    .action(does(async () => (await import('../links/ownLinks.ts')).showLink))

  addEdit(link)

  link
    .command('revoke')
    .description('Ends a link. Uploads under way end with it; files that have landed stay in the inbox.')
    .argument('<id>', 'the id, its beginning, or the label')
    .action(does(async () => (await import('../links/ownLinks.ts')).revokeLink))
}

function addEdit(link: Command): void {
  link
    .command('edit')
    .description('Changes what a link takes. It may be raised, and lowered down to what has been used.')
    .argument('<id>', 'the id, its beginning, or the label')
    .option('--expires <time>', 'how long it takes files from now on, or until when; or never', newExpiry)
    .option('--max-size <size>', 'the largest file it takes; or unlimited', totalLimit)
    .option('--max-total <size>', 'all that it takes, with what has landed; or unlimited', totalLimit)
    .option('--files <number>', 'how many files it takes, with those that have landed; or unlimited', countLimit)
    .option('--label <text>', 'your name for the link; an empty text removes it', newName)
    .option('--title <text>', 'what guests read above all; an empty text removes it', titleLine)
    .option('--message <text>', 'a line to your guests; an empty text removes it', messageLine)
    .option('--from <name>', 'who you are, for your guests; an empty text removes it', fromLine)
    .option(
      '--question <question>',
      `${QUESTION}; it takes the place of all questions, and an empty text removes them`,
      question,
    )
    .option('--file-kinds <endings>', 'the kinds of files that you want; an empty text for any', fileKinds)
    .option('--dismiss', 'no more of what it refused so far; every other change does that, too')
    .addHelpText(
      'after',
      `
Examples:
  blindkeep link edit 'Photos of the wedding' --expires 7d
  blindkeep link edit 3f2a91c0 --files 50 --max-total unlimited`,
    )
    .action(does(async () => (await import('../links/editLink.ts')).editLink))
}

function addCreate(link: Command): void {
  link
    .command('create')
    .description('Creates a link, and prints its address.')
    .option(
      '--expires <time>',
      'how long it takes files (90m, 12h, 7d, 4w), or until when; without it, until revoked',
      expiry,
    )
    .option('--max-size <size>', 'the largest file it takes, as in 500MB or 2GiB', sizeLimit)
    .option(
      '--max-total <size>',
      'all that it takes, also of files that you discard; or unlimited; 10GB without it',
      totalLimit,
    )
    .option(
      '--files <number>',
      'how many files it takes, also of those that you discard; or unlimited; 1000 without it',
      countLimit,
    )
    .option('--once', 'it takes one file, and ends')
    .option('--passphrase', 'guests need a passphrase; it is asked for, or BLINDKEEP_PASSPHRASE')
    .option('--passphrase-file <file>', 'guests need the passphrase in this file')
    .option('--label <text>', 'your name for the link; only you can read it', name)
    .option('--title <text>', 'what guests read above all; the server cannot read it', titleLine)
    .option('--message <text>', 'a line to your guests; the server cannot read it', messageLine)
    .option('--from <name>', 'who you are, for your guests; the server cannot read it', fromLine)
    .option('--question <question>', QUESTION, question)
    .option('--file-kinds <endings>', 'the kinds of files that you want, as in pdf,jpg', fileKinds)
    .option('--like <id>', 'with the limits and the words of another link; other flags come before them')
    .option('--no-qr', 'leave the QR code out')
    .addHelpText(
      'after',
      `
A question is LABEL:KIND, with ! behind the kind if guests must answer it, as in
'Topic:choice!=One|Another'. Kinds are text, or text=200 for at most so many
characters (500 without it), choice=One|Another, date and number. Guests read
questions also without the passphrase; the server reads neither them nor the
answers, so it cannot insist: inbox list marks what is missing.

Examples:
  blindkeep link create --expires 7d --files 20 --max-size 2GiB --label 'Photos of the wedding'
  blindkeep link create --question 'Matter number:text!' --question 'Topic:choice=Invoice|Other' --file-kinds pdf,jpg
  blindkeep link create --once --json | jq -r .url`,
    )
    .action(does(async () => (await import('../links/createLink.ts')).createLink))
}
