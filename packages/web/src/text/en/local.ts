import { number, plural } from './counts.ts'

export const local = {
  pairTitle: 'Your pages, from this computer',
  pairExplain: (server: string) =>
    `These are the pages for ${server}, but they come from this computer. Type the code that the terminal shows, eight digits. Your password is not asked for here.`,
  linkTitle: 'A page from this computer',
  linkExplain: (server: string) =>
    `This is the page of a link or share at ${server}, but it comes from this computer. Type the code that the terminal shows, eight digits.`,
  programFailed: 'The program in the terminal does not answer. Start it again, and use the page that it opens.',
  nothingKept:
    'This page comes from your computer and stores nothing in the browser. Keep it and the program in the terminal open until all files have arrived: a file that is unfinished then has to be sent again from its start. Save receipts and proofs before you close it.',
  code: 'Code in the terminal',
  codeWrong: (triesLeft: number) =>
    `That is not the code. You have ${number(triesLeft)} ${plural(triesLeft, 'try', 'tries')} left.`,
  codeOver: 'That code is not valid any more. The terminal shows a new one.',
  codesRefused: 'Too many codes were asked for. End the program in the terminal, and start it again.',
  pair: 'Continue',
  closedTitle: 'Closed',
  closedExplain:
    'The program in the terminal that showed these pages has ended. Close this tab, and do not reload it: another program may answer at this address now. To go on, start the program again.',
  account: {
    title: 'What asks for your password',
    explain:
      'These pages never ask for your password. Change it, your second step at sign-in and your passkeys, or delete the account, on the server’s own pages.',
  },
  guests: 'People who open one of these addresses get the server’s own page, not one from your computer.',
}
