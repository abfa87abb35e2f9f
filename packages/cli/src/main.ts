#!/usr/bin/env -S node --disable-warning=ExperimentalWarning --max-semi-space-size=2
/** `blindkeep`: the command line of guests. Results go to standard output, everything else to standard error. */
import { Command, CommanderError } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import type { DropFlags } from './drop/drop.ts'
import { EXIT, UsageError } from './exits.ts'
import { shown } from './texts.ts'

const EXITS = `
Exit status:
  0  done
  1  not everything was done; each reason is a line on standard error
  2  the call is wrong
  3  something is not as it was signed or sealed: the server, or something in front of it, lies or is broken
  130  stopped by Ctrl-C`

const program = new Command('blindkeep')
  .description(manifest.description)
  .version(manifest.version)
  .exitOverride()
  .configureHelp({ showGlobalOptions: true })
  .option('--json', 'print one JSON object a line on standard output')
  .option('--quiet', 'print nothing but errors')
  .addHelpText('after', EXITS)

program
  .command('drop')
  .description(
    'Seals files and sends them through a link. The same line again goes on where it stopped, and sends nothing twice.',
  )
  .argument('<link>', 'the whole link, with the part after #; in quotes')
  .argument('<path...>', 'files, folders, or - for standard input')
  .option('--name <name>', 'the name of what comes from standard input')
  .option('--note <text>', 'a note to the owner, sealed like the files')
  .option('--sender <name>', 'who sends them, sealed like the files')
  .option('--receipts <folder>', 'where to save the receipts; without it each is saved beside its file')
  .option('--passphrase-file <file>', 'the passphrase of the link; or BLINDKEEP_PASSPHRASE; or it is asked for')
  .option('--again', 'send files again that this machine has sent through this link before')
  .addHelpText(
    'after',
    `
Receipts are named FILE.blindkeep-receipt.json. In folders, such files and symbolic links are not sent.
What is needed to go on is kept in ${'$BLINDKEEP_HOME'}, without it in the user's configuration directory.

Examples:
  blindkeep drop 'https://keep.example.org/u/3f…#…' report.pdf photos/
  tar c project | blindkeep drop 'https://…' - --name project.tar --note 'as of today'
${EXITS}`,
  )
  .action(async (link: string, paths: string[], flags: DropFlags) => {
    const { drop } = await import('./drop/drop.ts')
    process.exitCode = await drop({ link, paths, flags: { ...program.opts(), ...flags } })
  })

// A reader that goes away (`| head`) does not stop what is under way.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

try {
  await program.parseAsync()
} catch (error) {
  // Commander has printed its own errors, and help.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.usage
  else {
    // The client's errors load half of the client, and --help has none.
    const { failureOf } = await import('./failures.ts')
    const { message, exit } = failureOf(error)
    console.error(`blindkeep: ${shown(message)}`)
    process.exitCode = error instanceof UsageError ? EXIT.usage : exit
  }
}
