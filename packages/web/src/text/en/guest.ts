import type { FailureReason, LinkFault } from '../../guest/messages.ts'

const files = (count: number) => (count === 1 ? '1 file' : `${count.toLocaleString('en')} files`)

export const guest = {
  title: 'Send files',
  subtitle: 'Only the person who gave you this link can open them.',
  sealedHere: 'Sealed in this browser before they leave it',
  sealedHereMore: 'Not even the server can open them, see their names or read your note.',
  asking: 'Asking what this link takes …',
  limits: {
    heading: 'What this link takes',
    perFile: (size: string) => `up to ${size} per file`,
    inAll: (size: string) => `${size} left in all`,
    files: (count: number) => `${files(count)} left`,
    until: (when: string) => `open until ${when}`,
    passphrase: 'asks for a passphrase',
    none: 'files of any size',
    full: 'This link is full',
    fullMore: 'It takes nothing more. Ask the person who gave it to you for a new one.',
  },
  choose: {
    label: 'Choose what to send',
    drop: 'Drop files or folders here',
    dropNow: 'Let go to add them',
    files: 'Choose files',
    folder: 'Choose a folder',
    camera: 'Take a photo',
    more: 'Add more',
    pasteHint: 'You can also paste a file or a picture.',
    reading: 'Reading what you chose …',
  },
  unsupported: {
    insecure: 'This page cannot seal anything here',
    insecureMore:
      'Browsers seal only on pages whose address begins with https://. Ask the person who gave you the link for such an address. Nothing was sent.',
    old: 'This browser is too old to seal your files',
    oldMore: 'Open the link in a newer Firefox, Chrome, Edge or Safari. Nothing was sent.',
    broken: 'Something in this page broke',
    brokenMore: 'Reload the page: what the server has of your files stays there, and they go on where they stopped.',
    reload: 'Reload the page',
  },
  faults: {
    malformed: {
      title: 'This is not a whole link',
      more: 'A part of it was cut off or mistyped. Copy it again from the message in which you got it, up to its last character.',
    },
    fragment_missing: {
      title: 'The end of the link is missing',
      more: 'The part after # is the key to seal your files with. Without it nothing can be sealed, so nothing is sent. Ask for the whole link, up to its last character.',
    },
    key_swapped: {
      title: 'Caught: this server gave a wrong key',
      more: 'The key that the server gives for this link is not the one that its owner put into it. Whoever swapped it could have opened your files. Nothing is sent to it. Do not send anything here, and tell the person who gave you the link, but not through this server.',
    },
    suite_unknown: {
      title: 'This page is too old for the link',
      more: 'The link asks for a way of sealing that this page does not know. Reload the page. If that does not help, tell the person who gave you the link.',
    },
    closed: {
      title: 'This link takes no files',
      more: 'It has run out, has been used up or was withdrawn. Ask the person who gave it to you for a new one.',
    },
    busy: {
      title: 'The server is busy',
      more: 'It asks to be left alone for a moment. This page asks again by itself.',
    },
    unreachable: {
      title: 'The server cannot be reached',
      more: 'This page tries again by itself. You can choose your files meanwhile: they are sent as soon as it answers.',
    },
    answer_broken: {
      title: 'The server gives no sensible answer',
      more: 'This page asks again by itself. If it stays like this, tell the person who gave you the link.',
    },
  } satisfies Record<LinkFault, { title: string; more: string }>,
  closedWhileSending:
    'The link takes no more files: it has run out, is used up or was withdrawn. What has landed stays.',
  askAgain: 'Try again now',
  storageRefused:
    'This browser keeps nothing, as in a private window: sending works, but after a reload nothing can go on where it stopped.',
  message: {
    heading: 'Your message',
    optional: 'Optional. Sealed like your files.',
    note: 'Note',
    noteHint: 'Goes with each file.',
    sender: 'Your name',
    passphrase: 'Passphrase',
    passphraseHint: 'The person who gave you the link has told you one, or will. It never leaves this browser.',
    passphraseRefused: 'The server does not take this passphrase. Check it and try again: your files wait.',
    passphraseMissing: 'This link asks for a passphrase. Type it here.',
    passphraseSend: 'Use this passphrase',
    show: 'Show the passphrase',
    hide: 'Hide the passphrase',
  },
  send: (count: number) => (count === 1 ? 'Seal and send 1 file' : `Seal and send ${files(count)}`),
  chosen: (count: number, size: string) => `${files(count)}, ${size}`,
  queue: {
    heading: 'Your files',
    hidden: (count: number) => `… and ${files(count)} more, which ${count === 1 ? 'is' : 'are'} counted above.`,
    chosen: 'Ready',
    waiting: 'Waiting its turn',
    waitingForPassphrase: 'Waits for the passphrase',
    preparing: 'Sealing',
    sending: (done: string, of: string) => `Sending, ${done} of ${of}`,
    finishing: 'The server checks and stores it',
    landed: 'Landed',
    landedEarlier: (when: string) => `Landed ${when}`,
    paused: 'Paused',
    cancelled: 'Cancelled. The server throws away what it has of it.',
    retrying: 'No connection. It goes on by itself.',
    failed: 'Not sent',
  },
  failures: {
    too_large: 'Too large for this link.',
    too_many: 'The link takes no more files.',
    no_room: 'There is not enough room left in this link.',
    no_connection: 'No connection. It goes on by itself.',
    busy: 'The server asks to wait. It goes on by itself.',
    link_closed: 'The link takes no more files. Ask for a new one.',
    link_full: 'The link is full. Ask for a new one, or try again when others have finished.',
    owner_full: 'The storage of the person who gets it is full. Tell them; then try again.',
    damaged_on_the_way: 'It did not arrive as it was sent, so the server kept nothing of it. Try again.',
    chunk_refused: 'Something between here and the server lets nothing of this size pass. Try another network.',
    file_changed: 'The file has changed since it was begun. Send it as a new file?',
    unreadable: 'The file can’t be read: it was changed, moved or removed. Choose it again.',
    too_large_for_server: 'Too large for this server.',
    other_tab: 'Under way in another tab of this browser. It goes on here when that one is closed.',
    key_swapped: 'Not sent: the server gave a wrong key.',
    refused: 'The server refused it. Try again; if it happens again, tell the person who gave you the link.',
    unexpected: 'Something unexpected went wrong. Try again.',
  } satisfies Record<FailureReason, string>,
  actions: {
    remove: (name: string) => `Take ${name} out`,
    cancel: (name: string) => `Cancel ${name}`,
    pause: (name: string) => `Pause ${name}`,
    resume: (name: string) => `Go on with ${name}`,
    retry: 'Try again',
    asNew: 'Send it as a new file',
    again: 'Send it after all',
    pauseAll: 'Pause',
    resumeAll: 'Go on',
    retryAll: (count: number) => `Try ${files(count)} again`,
    removeUnfit: (count: number) => `Take out ${files(count)} that ${count === 1 ? 'does' : 'do'} not fit`,
  },
  unfit: (count: number): string =>
    count === 1
      ? '1 file does not fit into this link. The others go on.'
      : `${files(count)} do not fit into this link. The others go on.`,
  unfitAlone: (count: number): string =>
    count === 1 ? 'This file does not fit into the link.' : 'These files do not fit into the link.',
  progress: {
    label: 'All files',
    sending: (percent: string) => `${percent} sent`,
    sealing: (percent: string) => `Sealing, ${percent}`,
    landed: (landed: number, of: number) => `${landed.toLocaleString('en')} of ${files(of)} landed`,
    left: (duration: string) => `about ${duration} left`,
    retrying: 'No connection. It goes on by itself as soon as there is one.',
    paused: 'Paused. What has arrived stays on the server for a day.',
    keepOpen: 'Keep this page open until all have landed.',
    passphrase: 'Waiting for the passphrase',
  },
  done: {
    title: (count: number) => (count === 1 ? 'Your file has landed' : `All ${files(count)} have landed`),
    checked: (count: number): string =>
      count === 1
        ? 'The server signed a receipt that it holds it. The signatures were checked in this browser.'
        : 'The server signed a receipt for each that it holds it. The signatures were checked in this browser.',
    checking: 'The receipts are being checked …',
    unproven: (count: number) =>
      count === 1
        ? 'The server says so, but did not prove it for 1 file: see below.'
        : `The server says so, but did not prove it for ${files(count)}: see below.`,
    close: 'You can close this page, or send more.',
    some: (landed: number, failed: number) =>
      `${files(landed)} landed, ${failed === 1 ? '1 was' : `${failed.toLocaleString('en')} were`} not sent.`,
  },
  receipt: {
    fetching: 'The receipt is being fetched and checked …',
    checked: (when: string, size: string) =>
      `The server signed on ${when} that it holds this file, sealed, ${size}. Checked in this browser.`,
    missing: 'The server says that the file has landed, but its receipt could not be fetched.',
    fetch: 'Fetch the receipt again',
    alarm:
      'Warning: the receipt that the server gave for this file does not hold. Keep the file, and tell the person who gave you the link, but not through this server.',
    alarms: (count: number) =>
      `Warning: ${count === 1 ? 'a receipt' : `${count.toLocaleString('en')} receipts`} that the server gave ${count === 1 ? 'does' : 'do'} not hold. Keep your files, and tell the person who gave you the link, but not through this server.`,
    number: 'Receipt number',
    server: 'Server',
    key: 'Key that signed',
    hash: 'SHA-256 of the sealed file',
    size: 'Size of the sealed file',
    bytes: (count: string) => `${count} bytes`,
    algorithms: 'Signatures',
    both: 'Ed25519 and ML-DSA-65, both checked',
    signedAt: 'Signed on',
    save: 'Save this receipt',
    saveAll: (count: number) => (count === 1 ? 'Save the receipt' : `Save ${count.toLocaleString('en')} receipts`),
    print: 'Print',
    printTitle: 'Receipts for files sent with Blindkeep',
    printMore: (count: number) =>
      `${count === 1 ? '1 more receipt is' : `${count.toLocaleString('en')} more receipts are`} in the file that the page saves.`,
    forget: 'Forget on this device',
    forgetHint: 'Names and receipts stay listed here for a day, so that a reload leaves no doubt.',
  },
  unfinished: {
    heading: (count: number) => (count === 1 ? '1 file was not finished' : `${files(count)} were not finished`),
    more: (count: number): string =>
      `Choose ${count === 1 ? 'it' : 'them'} again to go on where ${count === 1 ? 'it' : 'they'} stopped. This browser remembers how far it got, but not the files themselves.`,
    far: (percent: string) => `${percent} is on the server`,
    none: 'Nothing of it is on the server yet',
    gone: 'The server has nothing of it any more',
    goneAnew: 'The server has nothing of it any more. Choose it again to send it anew.',
    inOtherTab: 'Under way in another tab of this browser',
    choose: 'Choose again',
    discard: (name: string) => `Give up ${name}`,
    closed: 'The link takes no new files, but these may still go on.',
  },
  confirm: {
    title: 'Cancel this file?',
    text: (name: string, percent: string) =>
      `${percent} of ${name} has arrived. The server throws it away when you cancel.`,
    yes: 'Cancel the file',
    no: 'Keep going',
    close: 'Close',
  },
  remarks: {
    already_there: (count: number, name: string): string =>
      count === 1 ? `${name} is in the list already.` : `${files(count)} are in the list already.`,
    already_landed: (count: number, name: string): string =>
      count === 1
        ? `${name} has landed already; it is not sent twice.`
        : `${files(count)} have landed already; they are not sent twice.`,
    not_taken: (count: number, name: string): string =>
      count === 1
        ? `${name} was not added: the link takes no new files.`
        : `${files(count)} were not added: the link takes no new files.`,
    nothing_chosen: () => 'There was no file in that.',
    not_read: (count: number, name: string): string =>
      count === 1
        ? `${name} was not added: this browser could not read all of it. Choose it again.`
        : `${count.toLocaleString('en')} files or folders were not added, ${name} among them: this browser could not read all of them. Choose them again.`,
  },
  live: {
    sending: (percent: string, landed: number, of: number) => `${percent} sent, ${landed} of ${files(of)} landed.`,
    failed: (count: number) => (count === 1 ? '1 file could not be sent.' : `${files(count)} could not be sent.`),
  },
  pageTitle: (percent: string) => `${percent} · Blindkeep`,
  pageTitleDone: 'Landed · Blindkeep',
  footer: 'Blindkeep passes files on without being able to read them, and signs for what it holds.',
  language: 'Language',
}
