import { files, number, plural } from './counts.ts'

export const shares = {
  title: 'Shares',
  intro:
    'A share shows some of your files to anyone who has its link. To create one, select files in an album, or share the whole album.',
  loading: 'Loading your shares…',
  none: {
    title: 'No shares yet',
    text: 'Select files in an album and choose “Share”. You get a link that you can give to other people.',
    toAlbums: 'Go to the albums',
  },
  list: 'Your shares',
  name: (id: string) => `Share …/v/${id}…`,
  created: (when: string) => `Created on ${when}`,
  until: (when: string) => `Ends ${when}`,
  ended: (when: string) => `Ended ${when}`,
  forever: 'Until you stop it',
  live: 'Open',
  expired: 'Ended',
  withPassphrase: 'With a passphrase',
  usedUp: 'Downloads used up',
  visits: {
    none: 'Not opened yet',
    opened: (count: number) => plural(count, 'Opened once', `Opened ${number(count)} times`),
    downloaded: (count: number) =>
      count === 0 ? 'not downloaded' : plural(count, 'downloaded once', `downloaded ${number(count)} times`),
    left: (count: number, max: number) => `${number(count)} of ${number(max)} downloads left`,
    last: (when: string) => `the last time ${when}`,
  },
  limit: {
    button: 'Limit',
    of: (name: string) => `Limit the downloads of ${name}`,
    title: (name: string) => `Downloads of “${name}”`,
    field: 'How many downloads? (optional)',
    hint: 'A person who opens the link takes one download, and may download all files of the share with it, until the page is closed. Empty: any number.',
    before: 'Downloads before now count.',
    meaning:
      'A limit does not keep files secret: a person who has downloaded a file can pass it on. A download counts when it begins, also if it is stopped.',
    fault: (max: number) => `A number from 1 to ${number(max)}, or nothing.`,
    save: 'Save',
    done: 'Saved.',
  },
  showing: {
    looking: 'Looking through your shares…',
    none: 'No share',
    files: (count: number) => files(count),
    album: (count: number) => plural(count, '1 share shows files of it', `${number(count)} shares show files of it`),
    losing: (count: number, of: number) =>
      of === 1
        ? plural(
            count,
            '1 share shows it, and will not any more:',
            `${number(count)} shares show it, and will not any more:`,
          )
        : plural(
            count,
            '1 share shows some of them, and will not any more:',
            `${number(count)} shares show some of them, and will not any more:`,
          ),
    unknown: 'Which shares show it is not known now.',
  },
  following: {
    choice: 'Files added later are shown too',
    meaning:
      'Whatever comes into the album can be read by everyone who has the link: also what people send you and you keep there, with their names, messages and answers. A file that is deleted or moved is no longer shown.',
    badge: 'Follows its album',
    left: (count: number, name: string) =>
      `“${name}” does not show ${files(count)} of its album: no device of yours that may sign has signed ${plural(count, 'it', 'them')}, or there are too many files for one share.`,
    failed: (why: string) => `Shares that follow an album could not be compared with it. ${why}`,
  },
  contents: (count: number, size: string) => `${files(count)}, ${size}`,
  more: (count: number) => `and ${number(count)} more`,
  gone: (count: number) => `${files(count)} no longer available, deleted or replaced since:`,
  unknown: 'What is in it is not known: an older version created it, and its link was shown only then.',
  nameFault: 'The server gives a name that does not belong to this share. It was altered or exchanged.',
  recordFault: 'The server gives a link that does not belong to this share. It was altered or exchanged.',
  show: { button: 'Show link', of: (name: string) => `Show the link of ${name}` },
  rename: {
    button: 'Rename',
    of: (name: string) => `Rename ${name}`,
    title: (name: string) => `Name of “${name}”`,
  },
  end: {
    button: 'Stop sharing',
    buttonOf: (name: string) => `Stop sharing: ${name}`,
    title: 'Stop sharing?',
    text: 'The share link stops working now. People who have already downloaded a file keep it. Your own files stay.',
    confirm: 'Stop sharing',
    done: 'The share has ended.',
  },
  remove: {
    button: 'Remove',
    buttonOf: (name: string) => `Remove from this list: ${name}`,
    title: 'Remove this share from the list?',
    text: 'The share has ended, and its link does not work any more. Your own files stay.',
    confirm: 'Remove from the list',
    done: 'The share has been removed.',
  },
  close: 'Close',
  create: {
    title: (count: number) => `Share ${files(count)}`,
    explain: 'You get a link. Anyone who has it can open these files and nothing else, without an account.',
    name: 'Your name for it (optional)',
    nameHint: 'Only you see it, in the list of your shares. People who open the share do not.',
    expiry: 'For how long?',
    presets: { day: '1 day', week: '7 days', month: '30 days', never: 'Until I stop it' },
    passphrase: 'Passphrase (optional)',
    passphraseHint:
      'People then need the link and the passphrase. Give them the passphrase in another way than the link, for example by phone. A person who finds only the link cannot open anything.',
    privacyNote:
      'If one of these files was sent to you, the sender’s name, message and answers to your questions are shared too.',
    submit: 'Create share link',
    making: 'Encrypting…',
  },
  made: {
    title: 'Your share link',
    warning: 'Anyone who gets the link can open the files, so treat it like a key.',
    withPassphrase: 'Anyone who has the link and the passphrase can open the files.',
    again: 'You find it again under Shares, for as long as the share lasts.',
    once: 'Copy it now. This server is of an earlier version, which stores neither the link nor a name: it is shown only now.',
    address: 'Share link',
    copy: 'Copy share link',
    copied: 'Copied',
    copyFailed: 'Your browser does not allow copying. Select the link and copy it.',
    qr: 'QR code of the share link',
    until: (when: string) => `It works until ${when}, or until you stop it.`,
    forever: 'It works until you stop it.',
    downloads: (count: number) =>
      `It shows nothing to others after ${number(count)} ${plural(count, 'download', 'downloads')}.`,
    done: 'Done',
  },
}
