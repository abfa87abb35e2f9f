import { MAX_TEMPLATE_FOLDERS } from '@blindkeep/client/folderTemplate'
import { files, number, plural } from './counts.ts'

export const work = {
  region: 'Work in progress',
  running: {
    keep: (over: number, count: number) => `Keeping ${number(over)} of ${files(count)}…`,
    discard: (over: number, count: number) => `Discarding ${number(over)} of ${files(count)}…`,
    delete: (over: number, count: number) => `Deleting ${number(over)} of ${files(count)}…`,
    restore: (over: number, count: number) => `Restoring ${number(over)} of ${files(count)}…`,
    end: (over: number, count: number) => `Deleting ${number(over)} of ${files(count)} for good…`,
    move: (over: number, count: number) => `Moving ${number(over)} of ${files(count)}…`,
    save: (over: number, count: number) => `Downloading ${number(over)} of ${files(count)}…`,
    thumbnail: (over: number, count: number) => `Making thumbnails: ${number(over)} of ${number(count)}`,
  },
  failed: {
    keep: (count: number) => `${files(count)} could not be kept.`,
    discard: (count: number) => `${files(count)} could not be discarded.`,
    delete: (count: number) => `${files(count)} could not be deleted.`,
    restore: (count: number) => `${files(count)} could not be restored.`,
    end: (count: number) => `${files(count)} could not be deleted for good.`,
    move: (count: number) => `${files(count)} could not be moved.`,
    save: (count: number) => `${files(count)} could not be downloaded.`,
    thumbnail: (count: number) => `${plural(count, '1 thumbnail', `${number(count)} thumbnails`)} could not be made.`,
  },
  saving: {
    title: (count: number) => `Download ${files(count)}`,
    about:
      'In a folder, each file is checked and saved by itself: one that fails is named, and you can try it again. It goes on while you use other pages. A ZIP file is whole, or is not saved at all.',
    aboutZip: 'A ZIP file is whole, or is not saved at all.',
    into: 'Folders for these files',
    intoHint:
      'Made for each file of what its guest said. Between braces stands a question, or “sender”. Leave empty for none.',
    intoFault: `Write folders with / between them, at most ${MAX_TEMPLATE_FOLDERS}, as in {sender}/{Matter number}.`,
    intoExample: 'For example:',
    parts: 'Add a folder',
    sender: 'Sender',
    folder: 'Save into a folder…',
    zip: 'Save as a ZIP file…',
    refused: 'This browser does not let the page write into that folder. Choose another one, or a ZIP file.',
  },
  albumStays: 'The album stays.',
  asking: {
    keep: (count: number, when: string) => `You wanted to keep ${files(count)} on ${when}. Keep them now?`,
    discard: (count: number, when: string) => `You wanted to discard ${files(count)} on ${when}. Discard them now?`,
    delete: (count: number, when: string) => `You wanted to delete ${files(count)} on ${when}. Delete them now?`,
    restore: (count: number, when: string) => `You wanted to restore ${files(count)} on ${when}. Restore them now?`,
    end: (count: number, when: string) =>
      `You wanted to delete ${files(count)} for good on ${when}. Delete them for good now?`,
    move: (count: number, when: string) => `You wanted to move ${files(count)} on ${when}. Move them now?`,
    thumbnail: (count: number, when: string) => `You wanted thumbnails of ${files(count)} on ${when}. Make them now?`,
  },
  queued: 'It begins when the work before it is done.',
  waiting: 'The server cannot be reached, or is busy. It goes on by itself.',
  stopping: 'Files that are already on their way into an album are finished.',
  elsewhere: 'This happens in another tab.',
  stop: 'Stop',
  goOn: 'Continue',
  forget: 'Do not do it',
  retry: 'Try these again',
  close: 'Close',
  more: (count: number) => `and ${files(count)} more`,
  rest: (count: number, total: number) => `${plural(count, 'It is', 'They are')} the last of ${files(total)}.`,
  already: (count: number) =>
    `${files(count)} ${plural(count, 'was', 'were')} already kept, moved, discarded or deleted, here or on another device.`,
  busy: (count: number) =>
    `${files(count)} ${plural(count, 'is', 'are')} left out: other work on ${plural(count, 'it', 'them')} is in progress.`,
  keys: {
    title: 'Keyboard shortcuts',
    about: 'They work while the cursor is in no field. What is selected comes first, then the file with the focus.',
    on: 'Use single keys in this browser',
    close: 'Close',
    inbox: [
      [['j', '↓'], 'Next file'],
      [['k', '↑'], 'Previous file'],
      [['Enter'], 'Show the file'],
      [['x'], 'Select the file'],
      [['a'], 'Select all files, or none'],
      [['e'], 'Keep in an album'],
      [['s'], 'Download'],
      [['#', 'Delete'], 'Discard'],
      [['?'], 'Show this list'],
    ],
    album: [
      [['j', '↓'], 'Next file'],
      [['k', '↑'], 'Previous file'],
      [['Enter'], 'Open the file'],
      [['x'], 'Select the file'],
      [['a'], 'Select all files, or none'],
      [['s'], 'Download what is selected'],
      [['#', 'Delete'], 'Delete what is selected'],
      [['?'], 'Show this list'],
    ],
  } as { readonly [Key in 'title' | 'about' | 'on' | 'close']: string } & {
    readonly [Of in 'inbox' | 'album']: readonly (readonly [readonly string[], string])[]
  },
  actionsOf: (name: string) => `Actions for ${name}`,
  stopped: (count: number) =>
    `Stopped. ${files(count)} ${plural(count, 'stays', 'stay')} where ${plural(count, 'it is', 'they are')}.`,
}
