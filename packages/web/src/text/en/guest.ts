import type { SendTrouble } from '@blindkeep/client/errors'
import { files, number, plural } from './counts.ts'
import { operator } from './operator.ts'

export const guest = {
  operator,
  title: 'Send files',
  subtitle: 'Only the person who gave you this link can open them.',
  sealedHere: 'Encrypted in this browser before they are sent',
  sealedHereMore: 'Not even the server can open your files, see their names or read your message.',
  ownersWords: {
    from: 'The person who made this link says:',
    name: 'Name:',
    unchecked: 'The name is their own word. Nothing here has checked it.',
  },
  exposed: {
    title: 'Servers have seen the key of this link',
    more: 'A program that passed the link on, such as a mail filter, changed it. So its key went to servers that should not have it, this one too. They can read what the owner of the link writes to you, and can send files through the link. They cannot open what you send. If this matters, ask the owner for a new link by another way before you send anything.',
  },
  asking: 'Checking what this link accepts…',
  limits: {
    heading: 'What this link accepts',
    perFile: (size: string) => `up to ${size} per file`,
    inAll: (size: string) => `up to ${size} in total through this link`,
    files: (count: number) => `${files(count)} left`,
    until: (when: string) => `open until ${when}`,
    passphrase: 'asks for a passphrase',
    onlyOne: 'accepts one file only',
    kinds: (kinds: string) => `only ${kinds}`,
    none: 'files of any size',
  },
  choose: {
    label: 'Choose files to send',
    drop: 'Drop files or folders here',
    dropOne: 'Drop a file here',
    dropAgain: 'You can also drop an unfinished file here.',
    dropNow: 'Release to add them',
    files: 'Choose files',
    file: 'Choose a file',
    otherFile: 'Choose another file',
    folder: 'Choose a folder',
    camera: 'Take a photo',
    more: 'Add more',
    carries: 'More files are sent with what you wrote for these. You can change it before you send them.',
    pasteHint: 'You can also paste a file or a picture.',
    reading: 'Reading your selection…',
  },
  unsupported: {
    insecure: 'This page cannot encrypt files here',
    insecureMore:
      'Browsers encrypt only on pages whose address begins with https://. Ask the person who gave you the link for such an address. Nothing was sent.',
    old: 'This browser is too old to encrypt your files',
    oldMore: 'Open the link in a newer Firefox, Chrome, Edge or Safari. Nothing was sent.',
    broken: 'Something on this page broke',
    brokenMore: 'Reload the page. The server keeps what it has received, and you can continue where sending stopped.',
    brokenUnstored:
      'Reload the page. The server keeps the files that have arrived. How far the others are is not stored here: send them again from their start.',
    reload: 'Reload the page',
  },
  faults: {
    malformed: {
      title: 'This link is not complete',
      more: 'A part of it is missing or mistyped. Copy the whole link again from the message, up to its last character.',
    },
    fragment_missing: {
      title: 'The end of the link is missing',
      more: 'The part after # is the key that encrypts your files. Without it nothing can be sent. Ask for the whole link, up to its last character.',
    },
    key_swapped: {
      title: 'The server’s key does not match this link',
      more: 'A character of the link may be mistyped: copy the whole link again. If it is copied and this stays, the server gave a wrong key, with which another person could open your files. Nothing is sent. Do not send anything here, and tell the person who gave you the link, but not through this server.',
    },
    words_altered: {
      title: 'This link is not quite right',
      more: 'A character of it may be mistyped, and then your files could not be opened by anyone. Nothing is sent. Copy the whole link again from the message. If this stays, the server has changed what the person who made the link wrote: ask them for a new link.',
    },
    suite_unknown: {
      title: 'This page is too old for the link',
      more: 'The link needs a kind of encryption that this page does not know. Reload the page. If that does not help, tell the person who gave you the link.',
    },
    server_moved: {
      title: 'The server has moved',
      more: 'It is at another address now, and the link leads there: open it again. What has arrived is there. Files that were not sent completely start again there.',
    },
    other_address: {
      title: 'This server says that it is at another address',
      more: 'It may have moved, or have several addresses. Nothing is sent here, because its receipts count only there. If you know that address, open the link with it in place of its beginning. Otherwise ask the person who gave you the link for a new one.',
    },
    busy: {
      title: 'The server is busy',
      more: 'This page tries again by itself. You can already choose your files: they are sent as soon as the server has time.',
    },
    unreachable: {
      title: 'The server cannot be reached',
      more: 'This page tries again by itself. You can already choose your files: they are sent as soon as the server answers.',
    },
    server_failed: {
      title: 'The server has a problem',
      more: 'It answered with an error. This page tries again by itself, at least once a minute. You can already choose your files: they are sent as soon as the server works again.',
    },
    answer_broken: {
      title: 'The server gave an unreadable answer',
      more: 'This page tries again by itself. If this does not help, tell the person who gave you the link.',
    },
    given_up: {
      title: 'The server has not answered for a day',
      more: 'This page has stopped trying. Whether the server still has what had arrived is not known until it answers. Try again now, or open the link another day.',
    },
  },
  standing: {
    closed: {
      title: 'This link accepts no files',
      more: 'Ask the person who gave it to you for a new one.',
    },
    closed_for_new: {
      title: 'This link accepts no more files',
      more: 'Files that have arrived stay there. To send more, ask for a new link.',
    },
    full: {
      title: 'This link is full',
      more: 'It accepts no more files. Ask the person who gave it to you for a new one.',
    },
    full_for_new: {
      title: 'This link is full',
      more: 'It accepts no more files. Files that have arrived stay there. To send more, ask for a new link.',
    },
    inbox_full: {
      title: 'This inbox is full at the moment',
      more: 'Too many files wait there. Tell the person who gave you the link to take some out, then look again.',
    },
    inbox_full_for_new: {
      title: 'This inbox has no place for more files at the moment',
      more: 'Too many files wait there. Those that have arrived stay there. To send more, tell the person who gave you the link to take some out, then look again.',
    },
    no_room: {
      title: 'There is no room at the moment',
      more: 'Either this link or the storage of the person who gets the files is full. Tell the person who gave you the link, then look again.',
    },
    no_room_for_new: {
      title: 'There is no room for more files at the moment',
      more: 'Either this link or the storage of the person who gets the files is full. Files that have arrived stay there. To send more, tell the person who gave you the link, then look again.',
    },
    why: {
      closed: 'It has expired, has been used up or was revoked.',
      usedUp: 'It was for one file, which this browser has sent.',
      expired: (when: string) => `It was open until ${when}.`,
    },
    elsewhere: 'Have you sent files from another browser or device? Only that one shows them and can continue them.',
    ownerHears: 'The person who made this link will see that files could not be sent.',
    lookAgain: 'Look again',
  },
  openAgain: 'Open the link again',
  receiptsFirst: 'Download the receipts below first: at the new address, this browser does not have them.',
  askAgain: 'Try again now',
  notAsked:
    'The person who made this link asks something before you send, and this page could not load it. Nothing is sent before.',
  storageRefused:
    'This browser stores nothing, perhaps because this is a private window. You can send files, but after a reload an unfinished file cannot continue.',
  message: {
    heading: 'Your message',
    optional: 'Optional. Encrypted like your files.',
    remembered: 'This browser remembers it until the server has all files.',
    again: 'What you wrote for the files before, which keep it. Change it here for the next ones.',
    note: 'Message',
    noteHint: 'Sent with each file.',
    sender: 'Your name',
    passphrase: 'Passphrase',
    passphraseHint:
      'You get it from the person who gave you the link. Capital letters, spaces and hyphens do not matter. It never leaves this browser.',
    passphraseRefused: 'The server rejected this passphrase. Check it and try again. Your files are waiting.',
    passphraseMissing: 'This link asks for a passphrase. Enter it here.',
    passphraseSend: 'Use this passphrase',
    show: 'Show the passphrase',
    hide: 'Hide the passphrase',
  },
  send: (count: number) => `Send ${files(count)}`,
  chosen: (count: number, size: string) => `${files(count)}, ${size}`,
  queue: {
    heading: 'Your files',
    hidden: (count: number) => `… and ${number(count)} more ${plural(count, 'file', 'files')}, counted above.`,
    chosen: 'Ready',
    waiting: 'Waiting',
    waitingForPassphrase: 'Waiting for the passphrase',
    preparing: 'Encrypting',
    sending: (done: string, of: string) => `Sending, ${done} of ${of}`,
    finishing: 'The server has all of it, and is checking and storing it. A large file takes minutes.',
    arrived: { now: 'Arrived', earlier: (when: string) => `Arrived on ${when}` },
    /** The server says that it has the file, and its receipt is not checked. */
    landed: { now: 'Sent', earlier: (when: string) => `Sent on ${when}` },
    paused: 'Paused',
    cancelled: 'Cancelled. The server deletes what it has received.',
    failed: 'Not sent',
  },
  failures: {
    too_large: 'Too large for this link.',
    too_many: 'The link accepts no more files.',
    only_one: 'The link accepts one file only, and this is not the one.',
    no_room:
      'There is no room for it at the moment, either on this link or in the storage of the person who gets the files.',
    wrong_kind: 'Not a kind of file that this link asks for.',
    wrong_content: 'Its content is not what its name says: not a kind of file that this link asks for.',
    no_connection: 'No connection. Sending resumes by itself.',
    busy: 'The server is busy. Sending resumes by itself.',
    storage_unavailable: 'The server cannot store anything now. This page tries again by itself.',
    disk_full: 'The server has no space for it now. This page tries again by itself.',
    little_room: 'The server has little room: files are sent one after the other.',
    server_failed: 'The server has a problem. This page tries again by itself.',
    link_closed: 'The link accepts no more files. Ask for a new one.',
    link_full: 'The link is full. Ask for a new one.',
    owner_full:
      'The storage of the person who gets the files is full. Nothing happens by itself: tell them to make space, then try again.',
    inbox_full:
      'This inbox is full: too many files wait there. Nothing happens by itself: tell the person who gets the files to take some out, then try again.',
    damaged_on_the_way: 'The file did not arrive as it was sent, so the server kept nothing of it. Try again.',
    chunk_refused: 'Something between this browser and the server blocks data of this size. Try another network.',
    file_changed: 'The file has changed since sending began. Send it as a new file?',
    unreadable: 'The file cannot be read: it was changed, moved or deleted. Choose it again.',
    too_large_for_server: 'Too large for this server.',
    other_tab: 'Another tab of this browser is sending this file. When that tab is closed, sending resumes here.',
    link_faulty: 'Not sent: this page cannot use the link.',
    key_swapped: 'Not sent: the server gave a wrong key.',
    server_moved: 'Not sent: the server has moved. Open your link again.',
    other_address: 'Not sent: the server says that it is at another address.',
    refused: 'The server refused the file. Try again. If it happens again, tell the person who gave you the link.',
    unexpected: 'Something unexpected went wrong. Try again.',
  },
  actions: {
    remove: (name: string) => `Remove ${name}`,
    cancel: (name: string) => `Cancel ${name}`,
    pause: (name: string) => `Pause ${name}`,
    resume: (name: string) => `Resume ${name}`,
    retry: 'Try again',
    asNew: 'Send as a new file',
    again: 'Send it after all',
    pauseAll: 'Pause',
    resumeAll: 'Resume',
    retryAll: (count: number) => `Try ${files(count)} again`,
    removeUnfit: (count: number) => `Remove ${files(count)} that ${plural(count, 'does', 'do')} not fit`,
  },
  unfit: (count: number, others: number) =>
    `${files(count)} ${plural(count, 'does', 'do')} not fit this link. ${plural(others, 'The other one', 'The others')} can be sent.`,
  onlyOne:
    'This link accepts one file only: the one that is ready. To send another one instead, remove that one from the list.',
  wanted: (kinds: string) => `The person who made this link wants files of these kinds: ${kinds}.`,
  unfitRest: (count: number) =>
    `${files(count)} ${plural(count, 'does', 'do')} not fit this link now. Tell the person who gave it to you.`,
  unfitAlone: (count: number) =>
    `${plural(count, 'This file does not fit this link now.', 'These files do not fit this link now.')} Tell the person who gave it to you.`,
  ownerHearsLimits:
    'The person who made this link will see why files did not fit, but not which files. Of files of another kind they hear nothing.',
  ownerHears: 'The person who made this link will see why files did not fit, but not which files.',
  progress: {
    label: 'All files',
    sending: (percent: string) => `${percent} sent`,
    sealing: (percent: string) => `Encrypting, ${percent}`,
    arrived: (arrived: number, of: number, earlier: number) =>
      `${number(arrived)} of ${files(of)} arrived${earlier > 0 ? `, and ${number(earlier)} before this visit` : ''}`,
    left: (duration: string) => `about ${duration} left`,
    paused: 'Paused. The server keeps what has arrived for a day.',
    keepOpen: 'Keep this page open until all files have arrived.',
    keepOpenOrReturn:
      'Keep this page open until all files have arrived. If you close it, open the link in this browser again to continue.',
    passphrase: 'Waiting for the passphrase',
  },
  troubles: {
    no_connection: (since) =>
      `No connection since ${since}. Check your network. Sending resumes by itself when the connection is back; what has arrived stays there for a day.`,
    busy: (since, until) =>
      `The server has been busy since ${since}. This page tries again by itself until it has time.${until === undefined ? '' : ` Next try: ${until}.`}`,
    storage_unavailable: (since) =>
      `Since ${since} the server has not been able to store anything: its disk does not work. This page tries again at least once a minute. If it stays so, tell the person who gave you the link.`,
    disk_full: (since) =>
      `Since ${since} the server has had no space for your files: its disk is full. This page tries again at least once a minute. If it stays so, tell the person who gave you the link.`,
    little_room: (since) =>
      `Since ${since} the server has had little room: files are sent one after the other. Keep this page open.`,
    server_failed: (since) =>
      `Since ${since} the server has answered with errors. This page tries again at least once a minute. If it stays so, tell the person who gave you the link.`,
  } satisfies Record<SendTrouble, (since: string, until?: string) => string>,
  done: {
    title: (count: number) =>
      plural(
        count,
        'Your file has arrived',
        count === 2 ? 'Both files have arrived' : `All ${files(count)} have arrived`,
      ),
    checked: (count: number) =>
      plural(
        count,
        'The server signed a receipt that it has your encrypted file. This browser checked the signatures.',
        'For each file, the server signed a receipt that it has the encrypted file. This browser checked the signatures.',
      ),
    checkedArrived:
      'For what has arrived, the server signed receipts that it has it, encrypted. This browser checked the signatures.',
    earlier: (earlier: number, all: number) =>
      `${number(earlier)} more arrived before this visit. The list and the receipts below are of all ${files(all)}.`,
    checking: 'Checking the receipts…',
    unproven: (count: number) => `For ${files(count)} the server has given no valid receipt. See below.`,
    close: 'You can close this page or send more files.',
    onlyOne: 'The link accepts one file, and this was all. You can close this page.',
    full: 'The link accepts no more files. You can close this page.',
    rest: 'The list below shows what you can do about it.',
    arrived: (count: number) => `${files(count)} arrived`,
    notProven: (count: number) => `${files(count)} sent without a checked receipt`,
    waiting: (count: number) => `${number(count)} more ${plural(count, 'is', 'are')} not sent yet`,
    notSent: (count: number) => `${number(count)} ${plural(count, 'was', 'were')} not sent`,
  },
  sentWith: {
    all: (count: number) =>
      plural(
        count,
        'With this file, encrypted',
        `With ${count === 2 ? 'both' : `all ${number(count)}`} files, encrypted`,
      ),
    some: (count: number) => `With ${files(count)}, encrypted`,
    more: '… and more, shown at each file.',
    unsigned: 'Sent with the file, encrypted. The server has not seen it and has not signed it:',
  },
  receipt: {
    short: 'Receipt checked',
    fetching: 'Getting and checking the receipt…',
    checked: (when: string, size: string) =>
      `On ${when} the server signed that it has this file (${size} encrypted). Checked in this browser.`,
    limits:
      'A receipt proves that the server had encrypted bytes with this hash at this time, by its clock. It does not show another person which file that was, through which link it came, to whom, or that they could open it: nothing of that is signed.',
    missing: 'The server says that it has the file, but its receipt could not be downloaded. Keep the file.',
    fetch: 'Get the receipt again',
    alarm:
      'Warning: the server’s receipt for this file is not valid. Keep the file. Tell the person who gave you the link, but not through this server.',
    alarms: (count: number) =>
      `Warning: ${plural(count, 'a receipt from this server is', `${number(count)} receipts from this server are`)} not valid. Keep your files. Tell the person who gave you the link, but not through this server.`,
    number: 'Receipt number',
    server: 'Server',
    key: 'Signing key',
    hash: 'SHA-256 of the encrypted file',
    size: 'Size of the encrypted file',
    bytes: (count: string) => `${count} bytes`,
    algorithms: 'Signatures',
    both: 'Ed25519 and ML-DSA-65, both checked',
    signedAt: 'Signed on',
    save: 'Download this receipt',
    saveAll: (count: number) => plural(count, 'Download the receipt', `Download ${number(count)} receipts`),
    print: 'Print',
    proof: 'Download a proof (with the file’s key)',
    proofs: 'Download proofs (with each file’s key)',
    proofShows:
      'A person who has a proof and the same file can check that the server signed, at the stated time by its clock, that it had exactly this file, encrypted.',
    proofHides:
      'A proof does not show who sent the file, through which link, to whom, or that they could open it. Nor does it show that the server still has it.',
    proofTooLate:
      'For files of an earlier visit there are receipts only: the proof could only be saved in the visit that sent it.',
    proofIs: (name: string) => `The proof about this file is the file ${name}.`,
    printTitle: 'Receipts for files sent with Blindkeep',
    printMore: (count: number) =>
      `${number(count)} more ${plural(count, 'receipt is', 'receipts are')} in the file that you can download on the page.`,
  },
  forget: {
    hint: 'Names and receipts stay listed here for a day, even after a reload.',
    open: 'Forget on this device',
    title: 'Forget what you have sent?',
    lost: (count: number) =>
      `This browser deletes ${plural(count, 'the name and the receipt of 1 file', `the names and receipts of ${files(count)}`)}, and your message if you have typed one. It cannot get a receipt again: download them first if you want to keep them.`,
    keys: 'The page forgets the keys of the files, too, which it has only until it is closed or reloaded: after that, no proof can be saved.',
    kept: 'Nothing is deleted on the server.',
    yes: 'Forget',
    no: 'Keep the list',
  },
  unfinished: {
    heading: (count: number) => `${files(count)} ${plural(count, 'was', 'were')} not finished`,
    more: (count: number) =>
      plural(
        count,
        'Choose it again to continue where it stopped. This browser remembers the progress, but not the file itself.',
        'Choose them again to continue where they stopped. This browser remembers the progress, but not the files themselves.',
      ),
    moreUnsent: (count: number) => plural(count, 'Choose it again to send it.', 'Choose them again to send them.'),
    sealedWith: (count: number) => `Encrypted with ${files(count)} that ${plural(count, 'was', 'were')} begun`,
    sealedStays:
      'This stays with them, whatever you write for other files. To change it for a file, give the file up here, then choose it again.',
    far: (percent: string) => `${percent} is on the server`,
    none: 'Nothing of it is on the server yet',
    neverBegun: 'Not sent yet. Choose it again to send it.',
    neverBegunShut: 'Not sent. The link accepts no new files.',
    deleted: 'The server no longer has any of it',
    deletedRestart: 'The server no longer has any of it. Choose it again to send it from the beginning.',
    inOtherTab: 'Another tab of this browser is sending it',
    choose: 'Choose again',
    chooseFolder: 'Choose the folder again',
    chooseFiles: 'Choose files again',
    discardAll: (count: number) => `Do not send ${plural(count, 'this file', `these ${files(count)}`)}`,
    discard: (name: string) => `Give up ${name}`,
    closed: 'The link accepts no new files, but you may still be able to finish these.',
  },
  confirm: {
    title: 'Cancel this file?',
    text: (name: string, percent: string) => `${percent} of ${name} is sent. If you cancel, the server deletes it.`,
    yes: 'Cancel the file',
    no: 'Keep sending',
    close: 'Close',
  },
  addAnyway: (count: number) => plural(count, 'Add it all the same', 'Add them all the same'),
  remarks: {
    already_there: (count: number, name: string) =>
      plural(
        count,
        `A file with the name, size and time of ${name} is already in the list.`,
        `${files(count)} were not added: files with their names, sizes and times are already in the list.`,
      ),
    already_landed: (count: number, name: string) =>
      plural(
        count,
        `A file with the name, size and time of ${name} has already been sent.`,
        `${files(count)} were not added: files with their names, sizes and times have already been sent.`,
      ),
    not_taken: (count: number, name: string) =>
      plural(
        count,
        `${name} was not added: the link accepts no new files.`,
        `${files(count)} were not added: the link accepts no new files.`,
      ),
    nothing_chosen: () => 'There was no file in your selection.',
    empty: (count: number, name: string) =>
      plural(
        count,
        `${name} is empty. If you expect content in it, copy it to another folder and choose the copy.`,
        `${files(count)} are empty, including ${name}. If you expect content in them, copy them to another folder and choose the copies.`,
      ),
    empty_folders: (count: number, name: string) =>
      plural(
        count,
        `The folder ${name} is empty, and empty folders are not sent.`,
        `${number(count)} folders, including ${name}, are empty, and empty folders are not sent.`,
      ),
    not_read: (count: number, name: string) =>
      plural(
        count,
        `${name} was not added: this browser could not read all of it. Choose it again.`,
        `${number(count)} files or folders were not added, including ${name}: this browser could not read all of them. Choose them again.`,
      ),
  },
  live: {
    sending: (percent: string, arrived: number, of: number) =>
      `${percent} sent, ${number(arrived)} of ${files(of)} arrived.`,
    failed: (count: number) => `${files(count)} ${plural(count, 'was', 'were')} not sent.`,
  },
  pageTitle: (percent: string) => `${percent} · Blindkeep`,
  pageTitleDone: 'Arrived · Blindkeep',
  pageTitleSome: 'Not all arrived · Blindkeep',
  footer: 'Blindkeep delivers files without being able to read them, and signs a receipt for each.',
  language: 'Language',
}
