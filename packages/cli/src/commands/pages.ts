/** The command for pages that come from this machine. */
import type { Command } from 'commander'
import { does } from './done.ts'

export function addPagesCommands(program: Command): void {
  const pages = program.command('pages').description('Shows your pages without trusting the server’s.')

  pages
    .command('serve')
    .description('Opens the pages of this package in a browser. Only data come from the server.')
    .argument('[server]', 'the server, as a check that it is the one that you mean')
    .option('--no-open', 'print the address, and start no browser')
    .option('--browser <program>', 'Chromium or Firefox, by name or path')
    .addHelpText(
      'after',
      `
The page asks for the code that is shown here. It has your keys in its memory
until you close it; the session stays in this program. Chromium and Firefox
only: other browsers may ask the network for the address.
Passwords, passkeys and messages to a browser are left to the server’s pages
and to this command line. Links and shares are the server’s: who opens them
gets its pages.
Ctrl-C closes the pages. Do not reload one that is still open.
Examples:
  blindkeep pages serve
  blindkeep pages serve https://keep.example.org --no-open`,
    )
    .action(does(async () => (await import('../pages/serve.ts')).servePages))
}
