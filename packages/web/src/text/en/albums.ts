import { files, number, plural } from './counts.ts'

export const albums = {
  title: 'Albums',
  intro:
    'Files that you keep are in albums. Names and contents are encrypted in this browser; the server sees neither.',
  loading: 'Opening your albums…',
  files,
  filesOf: (count: string, size: string) => `${count} · ${size}`,
  untitled: 'Unnamed album',
  nameFault: 'Name cannot be opened',
  none: {
    title: 'No albums yet',
    text: 'Create an album and add files: your own, or files that people have sent you.',
  },
  create: {
    open: 'New album',
    title: 'New album',
    name: 'Name',
    hint: 'Only you can read it.',
    nameMissing: 'Enter a name for the album.',
    submit: 'Create album',
    done: 'The album was created.',
  },
  close: 'Close',
  cancel: 'Cancel',
  back: 'All albums',
  notFound: 'This album is not here. It may belong to another account.',
  album: {
    empty: 'This album is empty',
    emptyText: 'Drop files here or choose them. They are encrypted in this browser before they are uploaded.',
    add: 'Add files',
    drop: 'Release to add them to this album',
    loading: 'Loading the files of this album…',
    unnamed: 'Unnamed file',
    unfinished: 'Not finished',
    unreadable: 'Cannot be opened',
    unsigned: 'Unsigned file',
    opening: 'Opening…',
    select: (name: string) => `Select ${name}`,
    rename: 'Rename',
    share: 'Share album',
    renameTitle: (name: string) => `Name of “${name}”`,
  },
  incomplete: {
    notice: (count: number) =>
      plural(
        count,
        '1 file here is not finished: the server does not have its signature or its encrypted name.',
        `${files(count)} here are not finished: the server does not have their signatures or their encrypted names.`,
      ),
    explain:
      'Usually a page or program was closed before it was done. Look at what you finish. Nothing is uploaded again.',
    review: (count: number) => plural(count, 'Look at the file', 'Look at the files'),
    title: 'Files that are not finished',
    opening: 'Opening…',
    later: (count: number) => `${files(count)} more can be finished after these.`,
    unreadable: 'This file cannot be finished.',
    album: 'Album',
    origin: 'Origin',
    ownUpload: 'Your own upload',
    senderNone: 'No name given',
    about:
      'Finishing encrypts the name and signs exactly the file shown here, with this browser’s key. Your own upload is first read from the server once, to check it.',
    finish: 'Finish',
    finishing: 'Finishing…',
    done: 'The file is finished.',
  },
  trust: {
    unsigned: 'Not signed',
    unsignedReason:
      'No device of yours has signed this file. If a page or program was closed while it kept or uploaded it, look at it and finish it in its album.',
    revoked: 'Revoked device',
    revokedReason: (when: string) => `Signed by a device that you revoked on ${when}.`,
    name: (id: string) => `Unsigned file ${id}`,
    notShared: (count: number) =>
      plural(
        count,
        'No device of yours has signed one of these files, so it cannot be shared. Finish its upload, or select the others alone.',
        `No device of yours has signed ${files(count)} of these, so they cannot be shared. Finish their uploads, or select the others alone.`,
      ),
    changed: 'This file was replaced or deleted after this page showed it. Nothing was opened. Reload it.',
    reload: 'Reload',
  },
  consent: {
    title: {
      preview: () => 'Show this file anyway?',
      download: (count: number) =>
        plural(count, 'Download this file anyway?', `Download these ${files(count)} anyway?`),
      share: (count: number) => plural(count, 'Share this file anyway?', `Share these ${files(count)} anyway?`),
    },
    unsigned: (count: number, all: number) =>
      all === 1
        ? 'No device of yours has signed this file.'
        : `No device of yours has signed ${number(count)} of these ${files(all)}.`,
    unsignedMeaning: (count: number) =>
      plural(
        count,
        'Its upload may have stopped early. But a dishonest server can also show you another file here: one that a guest sent you, or an older one of yours. This page cannot tell, so it does not show its name.',
        'Their uploads may have stopped early. But a dishonest server can also show you other files here: some that guests sent you, or older ones of yours. This page cannot tell, so it does not show their names.',
      ),
    revoked: (count: number, all: number, days: readonly string[]) =>
      all === 1
        ? `This file is signed by a device that you revoked on ${days.join(', ')}.`
        : `${number(count)} of these ${files(all)} ${plural(count, 'is', 'are')} signed by a device that you revoked (${days.join(', ')}).`,
    revokedMeaning: (count: number) =>
      plural(
        count,
        'It is probably yours, from before. But a person who took that device can have signed another file, with any date, and a dishonest server can show it here.',
        'They are probably yours, from before. But a person who took that device can have signed other files, with any date, and a dishonest server can show them here.',
      ),
    confirm: { preview: 'Show it anyway', download: 'Download anyway', share: 'Share anyway' },
  },
  thumbnails: {
    make: 'Make thumbnails',
    done: (made: number) => plural(made, '1 thumbnail was made.', `${number(made)} thumbnails were made.`),
    none: (count: number) =>
      plural(
        count,
        '1 file has none: it is of another kind, or cannot be drawn here.',
        `${files(count)} have none: they are of another kind, or cannot be drawn here.`,
      ),
  },
  selection: {
    region: 'Selected files',
    count: (count: number) => `${files(count)} selected`,
    clear: 'Clear the selection',
    all: 'Select all',
    share: 'Share',
    download: 'Download',
    remove: 'Delete',
  },
  uploads: {
    title: 'Uploads',
    summary: (done: number, all: number) => `${number(done)} of ${number(all)} done`,
    allDone: (count: number) =>
      plural(count, 'The file is encrypted and uploaded.', `All ${files(count)} are encrypted and uploaded.`),
    phases: {
      waiting: 'Waiting',
      preparing: 'Encrypting',
      sending: 'Uploading',
      finishing: 'Confirming',
      paused: 'Paused',
      failed: 'Stopped',
      file_missing: 'Choose the file again to continue',
      done: 'Uploaded',
    },
    line: 'The connection is bad. The upload resumes by itself.',
    diskFull: 'The server has no room now. The upload resumes by itself.',
    littleRoom: 'The server has little room: files are sent one after the other.',
    looking: (count: number) => `Looking which of ${files(count)} the album has already…`,
    alreadyThere: (count: number, name: string) =>
      plural(
        count,
        `A file with the name, size and date of ${name} is already in the album or in its list of uploads, so it was not added.`,
        `${files(count)} were not added: files with their names, sizes and dates are already in the album or in its list of uploads.`,
      ),
    addAnyway: (count: number) => plural(count, 'Add it all the same', 'Add them all the same'),
    missing:
      'The browser no longer has access to files that were added before this page was loaded. Choose them again, several at once if you like.',
    empty: 'This file is empty. If you expect content in it, copy it to another folder and add the copy.',
    otherFile: 'This is another file, or it was changed. Choose the file that you began with.',
    pause: (name: string) => `Pause ${name}`,
    resume: (name: string) => `Resume ${name}`,
    retry: (name: string) => `Try ${name} again`,
    cancel: (name: string) => `Cancel ${name}`,
    hide: 'Hide',
    hideLong: (name: string) => `Hide ${name} here. It stays in the album.`,
    choose: (name: string) => `Choose ${name}`,
    chooseShort: 'Choose the file',
    clear: 'Hide uploaded files',
    progress: (name: string) => `Progress of ${name}`,
    leave: 'Keep this tab open until the uploads are done.',
    afterReload: 'After a reload, choose the same files again; what has arrived is not sent again.',
  },
  asset: {
    back: 'Back to the album',
    loading: 'Opening…',
    notFound: 'This file is no longer here. It was deleted or moved elsewhere.',
    show: 'Show preview',
    showHint: 'The file is not opened until you ask for it.',
    hide: 'Hide preview',
    download: 'Download',
    downloading: 'Downloading…',
    stop: 'Stop',
    share: 'Share',
    remove: 'Delete',
    nameHint: 'Only you can read it. Shares keep the name that they were made with, unless they follow the album.',
    nameMissing: 'Enter a name.',
    facts: 'About this file',
    size: 'Size',
    kept: 'Stored since',
    modified: 'Last changed',
    type: 'Type',
    note: 'Message',
    sender: 'Sent by',
    senderHint: '(the name that the sender gave)',
    answerHint: '(the sender’s answers to your questions)',
    arrived: 'Arrived through a link',
    signedBy: 'Signed by',
    keyAdded: (when: string) => `added on ${when}`,
    deviceRevoked: 'revoked later',
    sharedWith: 'Shown in',
    receipts: 'Receipts',
    receiptsChecked: (count: number) => plural(count, '1, and it is valid', `${number(count)}, and all are valid`),
    receiptsChecking: 'Checking…',
    storage: 'Check what the server stores',
    fault: 'This file cannot be opened.',
    protect: 'Protect',
    protectedUntil: 'Cannot be deleted before',
  },
  protect: {
    title: 'Protect from deletion',
    keeping: (count: number) =>
      plural(count, 'Protect the file from deletion', `Protect ${files(count)} from deletion`),
    text: (count: number) =>
      plural(
        count,
        'This file cannot be deleted before that day: neither by you, nor by the operator with the commands of this server, nor by a person who takes over your account. The file counts in your space until then, and the account cannot be deleted either.',
        'These files cannot be deleted before that day: neither by you, nor by the operator with the commands of this server, nor by a person who takes over your account. They count in your space until then, and the account cannot be deleted either.',
      ),
    forGood: 'You can choose a later day afterwards, but never an earlier one.',
    until: 'Protected until',
    hint: (latest: string) => `At the latest ${latest}.`,
    fault: (earliest: string, latest: string) => `Choose a day from ${earliest} to ${latest}.`,
    none: 'This server does not protect files from deletion, or this file is protected for as long as it allows.',
    submit: 'Protect the file',
    done: (when: string) => `The file cannot be deleted before ${when}.`,
    unsigned: 'This file is not protected: it is not finished, or it was deleted meanwhile.',
  },
  move: {
    short: 'Move',
    title: (count: number) => plural(count, 'Move this file to another album', `Move ${files(count)} to another album`),
    text: (count: number) =>
      plural(
        count,
        'Each album has its own keys: the file is read, encrypted and stored again. It is deleted here once the server has checked every byte of it there. Shares no longer show it. It gets new receipts: if you need those of its arrival, save them before, with a check under Storage.',
        'Each album has its own keys: the files are read, encrypted and stored again. Each is deleted here once the server has checked every byte of it there. Shares no longer show them. They get new receipts: if you need those of their arrival, save them before, with a check under Storage.',
      ),
    confirm: (count: number) => plural(count, 'Move file', `Move ${files(count)}`),
    done: (count: number, album: string) =>
      plural(count, `The file is now in “${album}”.`, `${files(count)} are now in “${album}”.`),
    toAlbum: 'Open album',
    unsigned: (count: number) =>
      plural(
        count,
        'One of these files is not signed by a device of yours that may sign, so it cannot be moved. Select the others alone.',
        `${files(count)} of these are not signed by a device of yours that may sign, so they cannot be moved. Select the others alone.`,
      ),
  },
  removeAlbum: {
    open: 'Delete album',
    title: (name: string) => `Delete “${name}”?`,
    empty: 'The album is empty. This cannot be undone.',
    text: (count: number, bytes: string) =>
      plural(
        count,
        `The album has 1 file (${bytes}). The file goes to the bin with it, and can be restored for a time. People with a share of it can no longer open it.`,
        `The album has ${files(count)} (${bytes}). They go to the bin with it, and can be restored for a time. People with a share of them can no longer open them.`,
      ),
    confirm: (count: number) =>
      count === 0 ? 'Delete album' : plural(count, 'Delete album and 1 file', `Delete album and ${files(count)}`),
    done: 'The album was deleted.',
  },
  remove: {
    title: (count: number) => plural(count, 'Delete this file?', `Delete ${files(count)}?`),
    text: (count: number) =>
      plural(
        count,
        'The file goes to the bin, where it can be restored for a time. People with a share of it can no longer open it.',
        'The files go to the bin, where they can be restored for a time. People with a share of them can no longer open them.',
      ),
    retained: (count: number, until: string) =>
      plural(
        count,
        `1 file is protected and stays: it cannot be deleted before ${until}.`,
        `${files(count)} are protected and stay: the last of them cannot be deleted before ${until}.`,
      ),
    confirm: (count: number) => plural(count, 'Delete file', `Delete ${files(count)}`),
    done: (count: number) => plural(count, 'The file was deleted.', `${files(count)} were deleted.`),
  },
  saving: {
    progress: (name: string) => `Downloading ${name}`,
    done: (count: number) => plural(count, 'The file was downloaded.', `${files(count)} were downloaded.`),
    zip: (count: number) => files(count),
    stop: 'Stop',
    album: 'Download album',
    albumDone: (count: number) => `${files(count)} ${plural(count, 'was', 'were')} downloaded as one ZIP file.`,
    albumLeft: (count: number) =>
      `${files(count)} ${plural(count, 'is', 'are')} not in the ZIP file: not finished, not signed by a device of yours that may sign, or not readable. Open ${plural(count, 'it', 'them')} one by one.`,
    albumNone: 'None of these files can be opened without a question. Open them one by one.',
    albumTooMany: (count: number) => `A ZIP file has at most ${files(count)}. Select some of them instead.`,
  },
}
