/** The command for guests. */
import type { Command } from 'commander'
import type { DropFlags } from '../drop/drop.ts'
import { anyText, eachText } from '../ground/options.ts'
import { done } from './done.ts'

export function addDropCommand(program: Command): void {
  program
    .command('drop')
    .description(
      'Seals files and sends them through a link. The same line again goes on where it stopped, and sends nothing twice.',
    )
    .argument('<link>', 'the whole link, with the part after #, in quotes; or - for standard input')
    .argument('<path...>', 'files, folders, or - for standard input')
    .option('--name <name>', 'the name of what comes from standard input')
    .option('--note <text>', 'a note to the owner, sealed like the files', anyText)
    .option('--sender <name>', 'who sends them, sealed like the files', anyText)
    .option('--field <answer>', "an answer to the owner, as in 'Matter number=2026/17'; may be repeated", eachText)
    .option('--receipts <folder>', 'where to save the receipts; without it each is saved beside its file')
    .option('--proof', 'also save a proof of each file, which has its key: FILE.blindkeep-proof.json')
    .option('--passphrase-file <file>', 'the passphrase of the link; or BLINDKEEP_PASSPHRASE; or it is asked for')
    .option('--again', 'send files again that this machine has sent through this link before')
    .addHelpText(
      'after',
      `
A receipt shows that the server signed: it had sealed bytes with this hash at
this time, by its clock. It does not show another person which file that was:
names are not signed. A proof (--proof) does, to everybody who has the proof and
the file: see blindkeep receipt check --help. It holds the key of this one file,
and what you say with it: name, sender, note, answers, batch. Found with you, it
shows that you had the file. Only the call that sends a file can save its proof.

What the owner asks and --field does not answer is asked on a terminal;
elsewhere the call ends and says what is missing. All files of the call have the
same answers, sealed like the files.

Receipts are named FILE.blindkeep-receipt.json. In folders, such files, proofs,
symbolic links and the home of this program are not sent. What is needed to go
on is kept in ${'$BLINDKEEP_HOME'}, without it in the user's configuration directory.

Examples:
  blindkeep drop 'https://keep.example.org/u/3f…#…' report.pdf photos/
  tar c project | blindkeep drop 'https://…' - --name project.tar --note 'as of today'
  blindkeep drop - report.pdf < link.txt`,
    )
    .action(async (given: string, paths: string[], _flags, command: Command) => {
      const { drop } = await import('../drop/drop.ts')
      await done(drop({ given, paths, flags: command.optsWithGlobals<DropFlags>() }))
    })
}
