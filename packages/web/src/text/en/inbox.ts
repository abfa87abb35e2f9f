import { files, number, plural } from './counts.ts'

export const inbox = {
  title: 'Inbox',
  listing: 'Reading the list…',
  reading: 'Reading the names…',
  waiting: files,
  about: (size: string) => `about ${size}`,
  emptyTitle: 'Your inbox is empty',
  empty: 'Files that people send through your links appear here as soon as they arrive.',
  toLinks: 'Go to your links',
  emptyFilter: 'There are no files from this link.',
  showAll: 'Show all',
  filter: 'Show',
  room: {
    nearlyFull: 'Your inbox is nearly full',
    full: 'Your inbox is full',
    waiting: {
      nearlyFull: (waiting: number, room: number) =>
        `${number(waiting)} of at most ${number(room)} files wait in it. Keep or discard some: when it is full, guests can send nothing more.`,
      full: (waiting: number) =>
        `${files(waiting)} ${plural(waiting, 'waits', 'wait')} in it. Keep or discard some: until then guests can send nothing more.`,
    },
    refused: 'Guests could not send you files',
    refusedCount: (count: number, first: string, last: string) =>
      count === 1 ? `One attempt, ${last}.` : `${number(count)} attempts, from ${first} to ${last}.`,
    inbox_full: 'Your inbox was full. Keep or discard files in it, then tell your guests to try again.',
    quota_exceeded:
      'The files were larger than the space that you had left. Make space, or ask the operator of this server for more, then tell your guests to try again.',
  },
  allLinks: (count: number) => `All links (${number(count)})`,
  linkOption: (label: string, count: number) => `${label} (${number(count)})`,
  linkUnnamed: 'Unnamed link',
  linkGone: 'Unknown link',
  list: 'Files in the inbox',
  unnamed: 'Unnamed file',
  unread: 'File, reading its name…',
  unopened: 'File that cannot be opened',
  from: (sender: string) => `from ${sender}`,
  through: (label: string) => `through ${label}`,
  received: (when: string) => `arrived ${when}`,
  adopting: 'Moving to an album',
  busy: 'Waits for its turn',
  choose: (name: string) => `Select ${name}`,
  chooseAll: 'Select all',
  chosen: (count: number, size: string) => `${files(count)} selected, ${size}`,
  keep: 'Keep…',
  keepOf: (name: string) => `Keep ${name}…`,
  keepLong: 'Keep in an album…',
  download: 'Download',
  downloadOf: (name: string) => `Download ${name}`,
  discard: 'Discard…',
  discardOf: (name: string) => `Discard ${name}…`,
  close: 'Close',
  faults: {
    sealed: 'It is damaged or was not encrypted for you, so it cannot be opened. You can discard it.',
    another_drop:
      'The server swapped this file for another one after it was listed, which a genuine server never does. Tell the operator of this server; reload the page to see the other file.',
    damaged:
      'The server’s copy is damaged or cannot be read, so the server does not release it. Ask the operator of this server to restore it, or the sender to send the file again.',
    held: 'The operator of this server withholds this file. Ask them why.',
    not_in_inbox: 'It is no longer in the inbox.',
    refused:
      'The server has refused the name several times. Try again; if it stays so, ask the operator of this server.',
    unreachable: 'The connection broke before the name could be read.',
    answer_broken: 'The server gave an unreadable answer.',
  },
  batch: {
    count: (count: number) => files(count),
    announced: (count: number) => `of ${files(count)} chosen together`,
    alone: (count: number) => `one of ${files(count)} chosen together`,
    looking: 'looking for more of these files…',
    unfold: (count: number) => `Show all ${files(count)}`,
    fold: 'Show fewer files',
  },
  zip: {
    download: 'Download as ZIP',
    title: (count: number) => files(count),
    done: (count: number) => `${files(count)} ${plural(count, 'was', 'were')} downloaded as one ZIP file.`,
    left: (count: number) =>
      `${files(count)} could not be opened, and ${plural(count, 'is', 'are')} not in the ZIP file.`,
    none: 'None of these files can be opened.',
    tooMany: (count: number) => `A ZIP file has at most ${files(count)}. Select fewer.`,
  },
  again: 'Try again',
  namesMissing: 'Some names could not be read. This says nothing about the files themselves.',
  withheld: (damaged: number, held: number) =>
    [
      ...(damaged > 0 ? [`${files(damaged)} ${plural(damaged, 'is', 'are')} damaged on the server.`] : []),
      ...(held > 0 ? [`${files(held)} ${plural(held, 'is', 'are')} withheld by the operator of this server.`] : []),
    ].join(' '),
  answers: {
    none: 'not answered',
    marks: { missing: 'missing', not_asked: 'not asked' },
    faults: {
      too_long: 'too long',
      not_a_choice: 'none of the choices',
      not_a_date: 'not a date',
      not_a_number: 'not a number',
    },
    wrongKind: (endings: readonly string[]) =>
      endings.length === 1 ? `not a ${endings[0]}` : `none of ${endings.join(', ')}`,
    withoutAnswers: 'sent without answers: with an older page or program, or before you asked',
  },
  note: 'Message',
  noteMore: 'Show the whole message',
  noteLess: 'Show less',
  details: {
    sender: 'From',
    senderNone: 'No name given',
    size: 'Size',
    sealedSize: (size: string) => `${size} encrypted`,
    received: 'Arrived',
    modified: 'Last changed',
    type: 'Type',
    link: 'Link',
    savedAs: 'Downloaded as',
    unverified:
      'The sender chose the names, the answers, the message, the type and the date of the last change. They are not verified.',
    preview: 'Show preview',
    previewAbout: 'The preview opens the file in an isolated frame that can reach nothing. Nothing in the file is run.',
    removed: 'This file is no longer in the inbox: it was kept or discarded elsewhere.',
  },
  downloading: (name: string) => `Downloading ${name}`,
  downloaded: (name: string) => `${name} was downloaded.`,
  stop: 'Stop',
  tampered:
    'Warning: this is not the file that was encrypted for you. It was changed on the way or by the server. Nothing of it was downloaded.',
  tamperedPreview:
    'Warning: this is not the file that was encrypted for you. It was changed on the way or by the server. Nothing of it is shown.',
  notWritten:
    'The file could not be written to this computer. Make sure that there is enough space, and try again. No part of it was left behind.',
  keeping: {
    title: (count: number) => plural(count, 'Keep this file', `Keep ${files(count)}`),
    about: 'Files that you keep move from the inbox into an album. They stay encrypted and are not sent again.',
    album: 'Album',
    albumUnnamed: 'Unnamed album',
    newAlbum: 'New album',
    newAlbumName: 'Name of the new album',
    newAlbumExample: 'Family',
    nameMissing: 'Enter a name for the album.',
    skipped: (count: number) =>
      plural(
        count,
        '1 of the selected files cannot be opened, so it cannot be kept. It stays in the inbox.',
        `${number(count)} of the selected files cannot be opened, so they cannot be kept. They stay in the inbox.`,
      ),
    none: 'None of the selected files can be opened, so none can be kept.',
    submit: (count: number) => plural(count, 'Keep file', `Keep ${files(count)}`),
    doneOne: (name: string, album: string) => `${name} is now in “${album}”.`,
    done: (count: number, album: string) => `${files(count)} are now in “${album}”.`,
    toAlbum: 'Open album',
  },
  discarding: {
    title: (count: number) => plural(count, 'Discard this file?', `Discard ${files(count)}?`),
    goesToBin: 'It goes to the bin, where it can be restored for a time. After that it is lost.',
    room: (size: string) => `Until then it uses ${size} of your storage.`,
    receiptStays:
      'Senders keep their receipts: the server had encrypted bytes at that time. A receipt does not show which file that was.',
    submit: (count: number) => plural(count, 'Discard file', `Discard ${files(count)}`),
    doneOne: (name: string) => `${name} was discarded.`,
    done: (count: number) => `${files(count)} were discarded.`,
  },
}
