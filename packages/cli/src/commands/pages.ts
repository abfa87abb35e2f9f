/** The commands for pages: served from this machine, or compared with a release. */
import { type Command, Option } from 'commander'
import { count } from '../ground/options.ts'
import { does } from './done.ts'

export function addPagesCommands(program: Command): void {
  const pages = program
    .command('pages')
    .description('Shows your pages without trusting the server’s, or compares those with their release.')
  addCheck(pages)
  addOpen(pages)

  pages
    .command('serve')
    .description('Opens the pages of this package in a browser. Only data come from the server.')
    .argument('[server]', 'the server, as a check that it is the one that you mean')
    .addOption(new Option('--no-open', 'print the address, and start no browser').conflicts('browser'))
    .option('--browser <program>', 'Chromium or Firefox, by name or path')
    .addHelpText(
      'after',
      `
The page asks for the code that is shown here. It has your keys in its memory
until you close it; the session stays in this program. Chromium and Firefox
only: other browsers may ask the network for the address.
Passwords, passkeys and messages to a browser are left to the server’s pages
and to this command line. Who opens your links and shares gets the server’s
pages, or calls pages open.
Ctrl-C closes the pages. Do not reload one that is still open.
Examples:
  blindkeep pages serve
  blindkeep pages serve https://keep.example.org --no-open`,
    )
    .action(does(async () => (await import('../pages/serve.ts')).servePages))
}

function addOpen(pages: Command): void {
  pages
    .command('open')
    .description('Opens the page of a link or share of others, from this package. Only data come from the server.')
    .argument('[-]', 'asks for the address, or reads it from standard input; it is a secret, so no argument')
    .addOption(new Option('--no-open', 'print the address of the page, and start no browser').conflicts('browser'))
    .option('--browser <program>', 'Chromium or Firefox, by name or path')
    .addHelpText(
      'after',
      `
Needs no account. The page asks for the code that is shown here, and then has
the address in its memory. Nothing is stored in the browser: a file that is not
sent whole when the page or this program ends begins again. Save receipts and
proofs before. The keys of the server are remembered as \`blindkeep drop\`
remembers them.
Ctrl-C closes the page. Do not reload one that is still open.
Examples:
  blindkeep pages open -
  blindkeep pages open - --browser firefox < link.txt`,
    )
    .action(does(async () => (await import('../pages/open.ts')).openPages))
}

function addCheck(pages: Command): void {
  pages
    .command('check')
    .description('Compares the pages that a server serves with those of its release.')
    .argument('<server>', 'its address, as in https://keep.example.org')
    .option('--link <->', 'also the page of one link or share: --link - reads its address from standard input')
    .option('--times <number>', 'so many times, one after the other', count)
    .option('--user-agent <text>', 'the browser that it says it is; one on Linux without it')
    .option('--list <file>', 'the list to compare with, in place of those in this program')
    .addHelpText(
      'after',
      `
Every page and file is asked for as browsers and programs ask for it (in br, in
gzip and plain; WebAssembly only as browsers ask), and is compared with the list
of its release in this program: bytes, type, and the headers that say what the
page may do. The server has no word in that.

It finds a server that serves other pages to all. It cannot find one that serves
them to one person, one address or one hour only, or to browsers and not to this
program, nor a script that an earlier answer left in a browser. So ask from
several places and often, with the link that you use (--link -; without it, the
only link asked for does not exist), and with the User-Agent of your browser.

Exit status 1 if headers differ, if the release is not known here (update this
program), or if the server cannot be asked; 3 if a page differs.

Examples:
  blindkeep pages check https://keep.example.org
  blindkeep pages check https://keep.example.org --link - < link.txt`,
    )
    .action(does(async () => (await import('../pages/check.ts')).checkPages))
}
