const files = (count: number) => (count === 1 ? '1 file' : `${count} files`)

export const share = {
  language: 'Language',
  title: 'Files for you',
  intro: (count: number, size: string) =>
    `${files(count)}, ${size}. Your browser opens them; the server cannot read them.`,
  opening: 'Opening what was shared with you…',
  list: 'Shared files',
  unnamed: 'Without a name',
  changed: (when: string) => `Changed ${when}`,
  save: 'Save',
  saveOf: (name: string) => `Save ${name}`,
  saving: (name: string) => `Saving ${name}`,
  saveAll: 'Save all',
  saved: (name: string) => `${name} is saved.`,
  savedMark: 'Saved',
  stop: 'Stop',
  stopOf: (name: string) => `Stop saving ${name}`,
  show: 'Look',
  showOf: (name: string) => `Look at ${name}`,
  close: 'Close',
  careful: 'Names are those that the sender gave. Open only what you expect.',
  about: 'What is Blindkeep?',
  aboutText:
    'A place for files that seals everything before it leaves a browser. The part of this page’s address after # is the key. It never reaches the server.',
  retry: 'Try again',
  faults: {
    dead: {
      title: 'Nothing is shared here any more',
      text: 'The share has ended, or its address is not right. Ask whoever sent it to you for a new one.',
    },
    damaged: {
      title: 'This address is damaged',
      text: 'A part of it was changed or cut on its way to you. Copy it again, whole, from the message that you got.',
    },
    fragment_missing: {
      title: 'The key is missing from the address',
      text: 'The part after # opens the files, and it is not there. Some programs cut it off: copy the whole address from the message that you got.',
    },
    tampered: {
      title: 'This does not fit the address',
      text: 'What the server gives was not sealed for this address, or the address was changed on its way. Copy it again, whole; if it stays so, tell whoever sent it to you.',
    },
    newer: {
      title: 'This page is too old for it',
      text: 'What was shared was made by a newer version. Reload the page.',
    },
    file_gone: {
      title: 'The file is not there any more',
      text: 'Its owner has deleted it, or ended the share. Ask them for a new one.',
    },
    file_tampered: {
      title: 'This is another file than was shared',
      text: 'It does not match what its owner has sealed. Nothing of it was kept. Tell them, and try again later.',
    },
    unreachable: {
      title: 'The server cannot be reached',
      text: 'Check your connection, and try again.',
    },
    failed: {
      title: 'That did not work',
      text: 'The server could not answer. Try again in a moment.',
    },
    disk: {
      title: 'The file could not be saved',
      text: 'Your device has refused it. Is there enough room? Try again.',
    },
    unsupported: {
      title: 'This browser cannot open it',
      text: 'It needs an address with https, and a browser of the last years. Open the address in another one.',
    },
  },
}
