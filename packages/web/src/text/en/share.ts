import { files } from './counts.ts'
import { operator } from './operator.ts'

export const share = {
  operator,
  language: 'Language',
  title: 'Files for you',
  intro: (count: number, size: string) => `${files(count)}, ${size}. Your browser decrypts them.`,
  empty: 'There is no file here now. If something is added, it is here when you reload the page.',
  introSealed: 'The server cannot read them.',
  opening: 'Opening the shared files…',
  list: 'Shared files',
  unnamed: 'Unnamed file',
  changed: (when: string) => `Changed ${when}`,
  save: 'Download',
  saveOf: (name: string) => `Download ${name}`,
  saving: (name: string) => `Downloading ${name}`,
  saveAll: 'Download all',
  savedMark: 'Downloaded',
  stop: 'Stop',
  stopped: 'Stopped. Nothing of it was kept.',
  stopOf: (name: string) => `Stop downloading ${name}`,
  show: 'Show preview',
  showOf: (name: string) => `Show preview of ${name}`,
  close: 'Close',
  careful: 'The sender chose the names. Open only files that you expect.',
  about: 'What is Blindkeep?',
  aboutText:
    'Blindkeep stores files that are encrypted in the browser before they are uploaded. The part of this link after # is the key. Browsers do not send this part to the server.',
  exposed: {
    title: 'Servers have seen the key of this link',
    more: 'A program that passed the link on, such as a mail filter, changed it. So its key went to servers that should not have it, this one too. They can open these files, unless a passphrase is needed as well. If the files are confidential, tell the person who sent you the link: they can stop sharing, and share again with a passphrase.',
  },
  retry: 'Try again',
  asked: {
    title: 'These files open with a passphrase',
    passphrase: 'Passphrase',
    passphraseHint:
      'You get it from the person who gave you the link. Capital letters, spaces and hyphens do not matter. It never leaves this browser.',
    show: 'Show the passphrase',
    hide: 'Hide the passphrase',
    open: 'Open the files',
    checking: 'Checking the passphrase…',
    wrong: 'This passphrase is wrong. Check it, and try again.',
    limited: 'Too many wrong passphrases were tried. Wait a quarter of an hour, then try again.',
  },
  faults: {
    dead: {
      title: 'Nothing is shared here any more',
      text: 'The share has ended, or the link is wrong. Ask the person who sent it to you for a new one.',
    },
    used_up: {
      title: 'All downloads are used up',
      text: 'The person who shared these files has limited how often they can be downloaded. Ask them for another download.',
    },
    damaged: {
      title: 'This link is damaged',
      text: 'A part of it is missing or mistyped. Copy the whole link again from the message that you got, up to its last character.',
    },
    fragment_missing: {
      title: 'The key is missing from the link',
      text: 'The part after # opens the files, and it is missing. Some programs cut it off. Copy the whole link from the message that you got.',
    },
    tampered: {
      title: 'The files do not match the link',
      text: 'The server’s answer was not encrypted for this link, or the link was changed on its way. Copy the whole link again. If this does not help, tell the person who sent it to you.',
    },
    newer: {
      title: 'This page is too old',
      text: 'The share was created with a newer version. Reload the page.',
    },
    file_gone: {
      title: 'The file is no longer there',
      text: 'Its owner deleted it or ended the share. Ask them for a new link.',
    },
    file_tampered: {
      title: 'This is not the file that was shared',
      text: 'It does not match the file that its owner encrypted. Nothing of it was kept. Tell the owner, and try again later.',
    },
    server_moved: {
      title: 'The server has moved',
      text: 'It is at another address now, and the link leads there: reload this page.',
    },
    unreachable: {
      title: 'The server cannot be reached',
      text: 'Check your connection and try again.',
    },
    failed: {
      title: 'That did not work',
      text: 'The server could not answer. Try again in a moment.',
    },
    disk: {
      title: 'The file could not be written',
      text: 'Your device refused it. Make sure that there is enough space, and try again.',
    },
    unsupported: {
      title: 'This browser cannot open the files',
      text: 'A link with https and a recent browser are needed. Open the link in another browser.',
    },
  },
}
