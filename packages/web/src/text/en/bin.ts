import { files, plural } from './counts.ts'

export const bin = {
  title: 'Bin',
  intro:
    'What you have discarded or deleted stays here for a time, and can be restored. It counts in your storage until then.',
  loading: 'Loading the bin…',
  none: { title: 'The bin is empty', text: 'Files that you discard or delete appear here.' },
  list: 'Files in the bin',
  total: (count: number, size: string) => `${files(count)}, ${size}`,
  reading: 'Reading the name…',
  unnamed: 'Without a name',
  unreadable: 'This file cannot be opened',
  discarded: (when: string) => `Discarded ${when}`,
  deleted: (when: string) => `Deleted ${when}`,
  until: (when: string) => `Can be restored until ${when}`,
  restore: { button: 'Restore', all: 'Restore all', of: (name: string) => `Restore ${name}` },
  end: {
    button: 'Delete now',
    of: (name: string) => `Delete ${name} now`,
    title: 'Delete this file for good?',
    text: (size: string) =>
      `This cannot be undone. It frees ${size} of your storage. The server deletes the encrypted bytes within about a day.`,
    confirm: 'Delete for good',
    done: (count: number) => plural(count, 'The file was deleted for good.', `${files(count)} were deleted for good.`),
  },
  empty: {
    button: 'Empty now',
    title: (count: number) => `Delete ${files(count)} for good?`,
    confirm: (count: number) => `Delete ${files(count)} for good`,
  },
  undo: 'Undo',
  restored: (count: number) => (count === 1 ? 'The file is back.' : `${files(count)} are back.`),
}
