/** The commands for an account. */
import type { Command } from 'commander'
import { name } from '../ground/options.ts'
import { does } from './done.ts'

const PASSWORD = ['--password-file <file>', 'the password; or BLINDKEEP_PASSWORD; or it is asked for'] as const
const CODE = ['--code-file <file>', 'the code of the second factor; or BLINDKEEP_CODE; or it is asked for'] as const
const WORDS = ['--words-file <file>', 'the 24 words; or BLINDKEEP_RECOVERY_WORDS; or they are asked for'] as const
const NAME = [
  '--name <text>',
  'what your lists call this program, instead of “blindkeep on” and this machine',
  name,
] as const
const KEYRING = [
  '--keyring',
  'keep the keys sealed under a key of the system’s keyring; without it they are in files that only you may read',
] as const

export function addAccountCommands(program: Command): void {
  program
    .command('register')
    .description('Creates an account, prints its recovery words, and signs in.')
    .argument('<server>', 'the address of the server, as in a browser')
    .option('--email <address>', 'otherwise it is asked for')
    .option(
      '--password-file <file>',
      'a new password of 12 or more characters; or BLINDKEEP_PASSWORD; or it is asked for',
    )
    .option(
      '--invite-file <file>',
      'the invite, as its link or its code, where the server wants one; or BLINDKEEP_INVITE',
    )
    .option('--words-to <file>', 'write the recovery words to a new file instead of printing them')
    .option(...NAME)
    .option(...KEYRING)
    .addHelpText(
      'after',
      `
Example:
  blindkeep register https://keep.example.org --email me@example.org`,
    )
    .action(does(async () => (await import('../account/signIn.ts')).register))

  program
    .command('login')
    .description('Signs in, on as many machines as you like. The keys stay on this machine until you sign out.')
    .argument('[server]', 'the address of the server; by default that of the last session')
    .option('--email <address>', 'otherwise it is asked for')
    .option(...PASSWORD)
    .option(...CODE)
    .option(...NAME)
    .option(...KEYRING)
    .action(does(async () => (await import('../account/signIn.ts')).login))

  program
    .command('recover')
    .description('Sets a new password with the recovery words, and signs in. All other sessions end.')
    .argument('<server>', 'the address of the server')
    .option('--email <address>', 'otherwise it is asked for')
    .option(...WORDS)
    .option('--password-file <file>', 'the new password; or BLINDKEEP_PASSWORD; or it is asked for')
    .option(...CODE)
    .option(...NAME)
    .option(...KEYRING)
    .action(does(async () => (await import('../account/signIn.ts')).recoverAccount))

  addSignedIn(program)
}

function addSignedIn(program: Command): void {
  addWords(program.command('account').description('The recovery words of your account.'))

  program
    .command('logout')
    .description('Ends the session, and forgets the keys on this machine.')
    .action(does(async () => (await import('../account/whoami.ts')).logout))

  program
    .command('whoami')
    .description('Prints who is signed in, and where.')
    .action(does(async () => (await import('../account/whoami.ts')).whoami))

  program
    .command('quota')
    .description('Prints how much of the account’s storage is used.')
    .action(does(async () => (await import('../account/whoami.ts')).quota))
}

function addWords(account: Command): void {
  account
    .command('recovery-words')
    .description('Makes new recovery words and prints them once, on a terminal. The former ones end at once.')
    .option('--words-to <file>', 'write them to a new file instead of printing them')
    .option(...PASSWORD)
    .option(...CODE)
    .action(does(async () => (await import('../account/recoveryWords.ts')).changeRecoveryWords))

  account
    .command('confirm-words')
    .description('Checks that your recovery words open the account, and ends the reminder of them.')
    .option(...WORDS)
    .action(does(async () => (await import('../account/recoveryWords.ts')).confirmRecoveryWords))
}
