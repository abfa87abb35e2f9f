import { files, number, plural } from './counts.ts'

export const take = {
  title: 'Files from other apps',
  explain:
    'Where Blindkeep is installed as an app, the share menu of your phone or computer can offer it. Photos and other files then go from their app into an album of yours.',
  start: 'Take files from other apps on this device',
  isOn: 'On for this device',
  stop: 'Take no more files',
  started: 'This device takes files from other apps now.',
  stopped: 'This device takes no more files from other apps.',
  install:
    'Install Blindkeep with the menu of this browser. If it was installed before and is missing in the share menu, remove it and install it again. Tick “Stay signed in on this device” when you sign in: otherwise each share asks for your password.',
  stopExplain:
    'Files that still wait on this device are deleted when you turn this off or sign out. The share menu may offer Blindkeep for some days more; what is shared then is not taken.',
  storing: (hours: number) =>
    `Shared files wait on this device, not encrypted, until you add or discard them, at most for ${hours} hours.`,
  risk: 'If this browser has lost its data of this page, for example because you deleted them, shared files go to the server without encryption until you open Blindkeep again. The server refuses them and stores nothing, but they have passed through the hands of those who run it. So open Blindkeep once after you delete data, before you share.',
  unsupported:
    'This browser does not show Blindkeep in a share menu. Chrome and Edge do, on Android, ChromeOS and Windows.',
  waiting: (count: number) =>
    plural(count, 'A file was shared with Blindkeep', `${files(count)} were shared with Blindkeep`),
  about:
    'Nothing is uploaded before you add it. Add only what you have shared yourself: other web pages can put files here, too.',
  list: 'Shared files',
  unnamed: 'Unnamed file',
  add: 'Add to an album…',
  discard: 'Discard',
  discardAll: 'Discard all',
  discardOf: (name: string) => `Discard ${name}`,
  dialog: (count: number) => plural(count, 'Add the file to an album', `Add ${files(count)} to an album`),
  submit: (count: number) => plural(count, 'Add the file', `Add ${files(count)}`),
  close: 'Close',
  discarded: (count: number) => plural(count, 'The file was discarded.', `${files(count)} were discarded.`),
  signIn: 'Files that were shared with Blindkeep wait on this device. Sign in to add them to an album.',
  faults: {
    off: 'Nothing was taken: this device does not take files from other apps. You can turn that on under Account.',
    many: (most: number) =>
      `Nothing was taken: at most ${number(most)} files wait here at once. Add or discard some, then share again.`,
    full: 'Nothing was taken: this browser has no space for these files. Free some space, or share fewer at once.',
    failed: 'Nothing was taken: this browser could not read or store these files. Share fewer at once.',
  },
}
