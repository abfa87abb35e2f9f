import { files, number, plural } from './counts.ts'

export const owner = {
  title: 'Blindkeep',
  more: { button: 'More', of: (what: string) => `More actions for ${what}` },
  titleWithCount: (count: number) => `(${number(count)}) Blindkeep`,
  skip: 'Skip to the content',
  navigation: 'Pages',
  pages: {
    inbox: 'Inbox',
    links: 'Links',
    albums: 'Albums',
    shares: 'Shares',
    storage: 'Storage',
    account: 'Account',
    bin: 'Bin',
  },
  inboxWaiting: (count: number) => `${files(count)} new in the inbox`,
  linksRefused: (count: number) => `${number(count)} ${plural(count, 'link', 'links')} refused files`,
  language: 'Language',
  signOut: 'Sign out',
  live: 'Live',
  liveLong: 'Changes appear by themselves.',
  connecting: 'Connecting…',
  connectingLong: 'The connection is down. Changes appear when it is back.',
  messages: 'Messages',
  dismiss: 'Dismiss',
  opening: 'Opening Blindkeep…',
  wordsReminder: {
    unconfirmed: 'Your recovery words are not confirmed. If you lose your password without them, your files are lost.',
    open: 'Check or replace them',
  },
  suspended:
    'This account is suspended. You can view, download and delete your files. You cannot add files, and your links accept none. Ask the operator of this server.',
  busy: {
    title: 'Something is still in progress',
    explain: 'Files are being uploaded, downloaded, checked or moved. Signing out stops that.',
    unsavedCodes:
      'Your backup codes are not saved yet, and are not shown again after you sign out. You find them under Account.',
    unsavedWebhook:
      'The secret of your new webhook is not saved yet, and is not shown again after you sign out. You find it under Account.',
    unsavedWords:
      'Your new recovery words are not confirmed yet, and are not shown again after you sign out. You find them under Account.',
    unfinished:
      'Some uploads are not finished. Signing out removes them from this browser, and they have to start again.',
    work: 'Some files are not kept, discarded or deleted yet. They stay where they are if you sign out.',
    taken:
      'Some files from other apps are not stored at the server yet. Signing out deletes them from this browser, not from their app.',
    leave: 'Sign out now',
    stay: 'Stay here',
  },
  closing: {
    typed: 'Close without saving? What you have entered is lost.',
    secret: 'Have you saved what is shown here? It is not shown again.',
    stay: 'Stay here',
    leave: 'Close anyway',
  },
  elsewhere: {
    title: 'Blindkeep is open in another tab',
    movedTitle: 'Blindkeep moved to another tab',
    explain:
      'Only one tab at a time can use the key to your files. If you use this tab, the other one stops, and so do its uploads: you choose their files again here.',
    use: 'Use this tab',
    close: 'Or close this tab and continue in the other one.',
  },
  otherAddress: 'This server has another address',
  insecure: {
    title: 'This address is not secure',
    explain:
      'Blindkeep encrypts files in your browser, and browsers allow that only over https. Open the address with https, or ask the operator of this server to set it up.',
  },
}
