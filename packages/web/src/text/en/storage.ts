/** The storage page. People delete files on what it says, so no sentence here promises more than was found out. */
import type { AuditReason } from '@blindkeep/client/errors'
import type { BundleRole } from '@blindkeep/client/verify'
import type { QuotaState } from '@blindkeep/protocol/schemas/quota'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'
import type { CompareKind } from '../../owner/storage/compare.ts'
import type { OutcomeKind } from '../../owner/storage/outcomes.ts'

const files = (count: number) => (count === 1 ? '1 file' : `${count} files`)

interface Words {
  readonly title: string
  readonly meaning: string
}

const quotaStates: Readonly<Record<QuotaState, Words>> = {
  ok: { title: 'There is room', meaning: 'Nothing to do.' },
  soft_warning: {
    title: 'Your storage is nearly full',
    meaning:
      'Uploads and files from guests still arrive. Make room before it is full: discard what you do not want from the inbox, delete files you no longer need, or ask whoever runs this server for more.',
  },
  hard_exceeded: {
    title: 'Your storage is full',
    meaning:
      'Nothing new arrives: your uploads stop, and guests are told that there is no room. What is kept stays kept. Discard from the inbox, delete files you no longer need, or ask whoever runs this server for more room.',
  },
  grace_expired: {
    title: 'Your storage has been full for too long',
    meaning:
      'Nothing new arrives, and the time that was given to make room is over. What happens to your files now is up to whoever runs this server. Make room today, or talk to them.',
  },
}

const quota = {
  heading: 'Room',
  states: quotaStates,
  used: (used: string, limit: string) => `${used} of ${limit} used`,
  usedUnlimited: (used: string) => `${used} used`,
  unlimited: 'No limit is set for your account.',
  soft: (limit: string) => `You are warned from ${limit} on.`,
  left: (left: string) => `${left} left`,
  none: 'nothing left',
  what: 'Counted are files in albums, files waiting in the inbox, and uploads that are under way, each with its seal.',
  bar: 'Storage used',
  toPage: 'Look at storage',
}

const kinds: Readonly<Record<OutcomeKind, Words>> = {
  held_deep: {
    title: 'Held: every byte was read and is right',
    meaning: 'The server read the whole sealed file again for this check, and it is the one that your device signed.',
  },
  held_structural: {
    title: 'Held, but its bytes were not read',
    meaning:
      'It is there in its whole length and free to fetch. Whether each byte is still right, only a thorough check tells.',
  },
  tampered: {
    title: 'Contradiction',
    meaning: 'What the server says does not fit what was signed. Do not rely on it. Keep your own copy.',
  },
  damaged: {
    title: 'Damaged',
    meaning: 'The server read its copy and the bytes are wrong. Keep your own copy, and upload the file again.',
  },
  missing: {
    title: 'Not held',
    meaning: 'The server knows no such file any more: it was deleted, or it is lost. Keep your own copy.',
  },
  not_held: {
    title: 'Not held',
    meaning: 'The server does not have it whole, or cannot read it. Keep your own copy, and upload the file again.',
  },
  withheld: {
    title: 'Withheld',
    meaning:
      'The bytes are there, and the server does not give them out: the operator holds them back, or the copy is known to be damaged. Keep your own copy, and ask whoever runs the server.',
  },
  not_vouched: {
    title: 'Not vouched for',
    meaning: 'The server does not say that it holds this file whole. Keep your own copy.',
  },
  unreadable: {
    title: 'Cannot be opened',
    meaning: 'What the server gives of this file does not open with your key. Keep your own copy.',
  },
  other_file: {
    title: 'Another file',
    meaning: 'What is kept is not the same, byte for byte. Keep your own copy.',
  },
  incomplete: {
    title: 'Not complete',
    meaning: 'A part of it never arrived: its upload was cut short. Finish the upload, and keep your own copy.',
  },
  not_examined: {
    title: 'Not read, though asked',
    meaning: 'The server was asked to read every byte again and did not. Keep your own copy.',
  },
  not_yet: {
    title: 'Not checked yet',
    meaning:
      'The server reads only so many bytes again each hour. Continue in an hour, and keep your own copy until then.',
  },
  unanswered: {
    title: 'Not checked',
    meaning: 'There was no answer to go by, and that is no yes. Keep your own copy, and check again.',
  },
}

const parts: Readonly<Record<BundleRole, string>> = {
  original: 'the file itself',
  metadata: 'its sealed name',
  provenance: 'its signature',
}

const check = {
  heading: 'Is everything really there?',
  intro:
    'Asks the server about each file, and believes it only where your own devices’ signatures and the server’s signed receipts agree.',
  scope: 'Which files',
  all: (count: number) => `All ${files(count)}`,
  album: 'One album',
  albumLabel: 'Album',
  albumUnnamed: 'Album without a name',
  some: 'Only some',
  chosen: (count: number) => (count === 0 ? 'None chosen yet' : `${files(count)} chosen`),
  choose: 'Choose files',
  depth: 'How closely',
  deep: 'Thorough: have every byte read again',
  deepHint:
    'Finds damage too. The server reads only so many bytes again per hour and account; what goes beyond that is called “not checked yet”, and you continue later.',
  structural: 'Quick: is it there, whole, and free to fetch?',
  structuralHint: 'Takes moments. Does not notice bytes that have gone bad.',
  start: 'Check now',
  nothing: 'There is nothing to check: you keep no files yet.',
  running: (done: number, total: number) => `${done} of ${files(total)} checked`,
  runningTitle: 'Checking',
  cancel: 'Stop',
  canLeave: 'You may go to other pages meanwhile; it goes on as long as this tab is open.',
  again: 'New check',
  resume: (count: number) => `Check the ${files(count)} not checked yet`,
  stopped: 'Stopped. What was checked until then is below.',
  failed: 'The check could not go on.',
}

const results = {
  heading: 'Result',
  summaries: {
    nothing: () => 'There was nothing to check.',
    problems: (bad: number, total: number) =>
      `${bad} of ${files(total)} ${bad === 1 ? 'has' : 'have'} a problem. Keep your own ${bad === 1 ? 'copy' : 'copies'}.`,
    unchecked: (open: number, total: number) => `${open} of ${files(total)} could not be checked yet. That is no yes.`,
    structural: (count: number) =>
      `${count === 1 ? 'The file is' : `All ${count} files are`} there in whole length. ${count === 1 ? 'Its' : 'Their'} bytes were not all read.`,
    all_read: (count: number) =>
      count === 1
        ? 'The file is held: every byte was read and is right.'
        : `All ${count} files are held: every byte was read and is right.`,
  },
  between: (from: string, to: string) =>
    from === to
      ? `As of ${from}, by the server’s clock.`
      : `Asked from ${from} to ${to}, by the server’s clock; true of that time.`,
  counts: {
    deep: (count: number) => `${count} held, every byte read`,
    structural: (count: number) => `${count} held, bytes not read`,
    problems: (count: number) => `${count} with a problem`,
    unchecked: (count: number) => `${count} not checked`,
  },
  filter: 'Show',
  filterAll: 'All',
  filterProblems: 'Problems and not checked',
  noProblems: 'No file with a problem.',
  more: (count: number) => `Show ${count} more`,
  unnamed: 'File without a name',
  concerned: (list: string) => `In doubt: ${list}.`,
  unread: (list: string) => `Not read again: ${list}.`,
  receipts: 'Receipts',
  receiptsOf: (name: string) => `Receipts of ${name}`,
  notAsked: 'Not asked about yet',
  checkedHeading: 'What was checked of each file called “held”',
  checkedDone: [
    'It is signed by one of your own devices, and its name and its beginning open with your key.',
    'The server’s signed receipts are there for exactly these sealed bytes: both signatures hold, their order is that of one log, and the keys are those that this browser remembers of this server.',
    'Last of all, the server said of exactly these bytes that they are there whole and free to fetch.',
  ],
  checkedDeep: 'Where it says so, it read every byte again for this answer.',
  uncheckedHeading: 'What this cannot show',
  uncheckedList: [
    'That the list of your files is whole. The server gives it, and what it leaves out is not asked about. Where you have copies, comparing them below finds what is missing.',
    'That the server tells the truth about its disks, or will keep the files tomorrow. The receipts prove that it had them; who needs more downloads a file and opens it.',
    'That a copy elsewhere is the same file. For that, compare it below before you delete it.',
    'Previews. They are made anew from the file when they are lost.',
  ],
  save: 'Save report',
  saveJson: 'Save as JSON',
  print: 'Print',
}

const safe = {
  heading: 'Safe to delete elsewhere?',
  no: 'No. Keep every copy you have of the files with a problem.',
  notYet: 'Not yet. Not everything could be checked.',
  notDeep: 'No. Nobody has read the bytes. Do a thorough check, or compare your copies.',
  compare:
    'Not from this alone. The server holds what your devices signed; whether a copy elsewhere is that same file, only comparing it shows.',
  action: 'Compare my copies',
}

export const compareKinds: Readonly<Record<CompareKind, Words>> = {
  ...kinds,
  safe: {
    title: 'This copy may be deleted',
    meaning:
      'The file was sealed again here and came to exactly what is kept; receipts for it hold, and the server read every byte of its copy and found it right.',
  },
  no_match: {
    title: 'Nothing of this size is kept',
    meaning: 'No file here has as many bytes, so this one is not kept. Keep your copy.',
  },
  file_unread: {
    title: 'This copy could not be read',
    meaning: 'It was moved, changed or removed while it was compared. Keep it, and choose it again.',
  },
  waiting: { title: 'Waiting', meaning: 'Not compared yet. Keep your copy.' },
  comparing: { title: 'Being compared', meaning: 'Keep your copy until the answer is there.' },
}

const compare = {
  heading: 'Before you delete your own copies',
  intro:
    'Choose the copies on this device that you want to delete. Each is read here, compared byte for byte with what is kept, and the server has to read its own again. Nothing is uploaded or deleted.',
  chooseFiles: 'Choose copies',
  chooseFolder: 'Choose a folder',
  dropHere: 'or drop them here',
  running: (done: number, total: number) => `${done} of ${files(total)} compared`,
  reading: (name: string) => `Comparing ${name}`,
  cancel: 'Stop',
  again: 'Compare those again that got no yes',
  clear: 'Clear',
  yesHeading: (count: number) =>
    count === 1 ? 'Yes: you may delete this copy' : `Yes: you may delete these ${count} copies`,
  yes: (when: string) =>
    `Each one is, byte for byte, a file that the server holds: ${when}. The server read every byte of its own copies for this, and its signed receipts hold. This was true at that moment; it is no promise for later.`,
  when: (from: string, to: string) => (from === to ? `proven ${from}` : `proven from ${from} to ${to}`),
  noHeading: (bad: number, total: number) =>
    bad === total
      ? total === 1
        ? 'No: keep this copy'
        : `No: keep all ${total} copies`
      : `No: keep ${bad} of ${total} copies`,
  no: 'These got no yes; do not delete them:',
  some: (count: number) => `${count === 1 ? 'The other one' : `The other ${count}`} got a yes of its own.`,
  runningVerdict: 'No answer yet. Keep everything until all are compared.',
  keptAs: (name: string) => `Kept as ${name}`,
  mine: 'Your copies',
}

const audit: Readonly<Record<AuditReason, string>> = {
  receipt_malformed: 'What the server gave as a receipt is none.',
  receipt_altered: 'A receipt is not the one that was issued.',
  reading_differs: 'A receipt is told otherwise than its signed bytes say.',
  signature_invalid: 'A signature under a receipt does not hold: these bytes were not signed by the server.',
  unknown_key: 'A receipt is signed with a key that the server does not publish.',
  key_malformed: 'The server’s list of signing keys does not hold together.',
  key_vanished:
    'A signing key that this browser has seen before is gone from the server’s list. A list like this only ever grows.',
  key_changed:
    'A signing key that this browser has seen before was changed on the server’s list. That never happens honestly.',
  key_not_active: 'A receipt is dated at a time when its key was not in use.',
  wrong_server: 'What came names another server than this one.',
  wrong_hash: 'A receipt is for other bytes than this file’s.',
  wrong_size: 'A receipt is for another length than this file’s.',
  wrong_upload: 'A receipt is for another upload.',
  wrong_drop: 'A receipt is for another guest’s file.',
  wrong_asset: 'A receipt is for another file.',
  wrong_role: 'A receipt is for a part that this file does not have.',
  wrong_envelope: 'The receipt of the signature does not name what was signed.',
  receipt_missing: 'A receipt is missing: the server has not signed that it has all of this file.',
  chain_broken: 'The receipts do not follow on each other as the server’s log must.',
  verdict_malformed: 'The server’s answer contradicts itself, or is about something else than was asked.',
}

const roles: Readonly<Record<BlobRole, string>> = {
  original: 'The file itself',
  metadata: 'Its sealed name and notes',
  provenance: 'The signature of your device',
  derivative: 'A preview',
}

const receipts = {
  title: (name: string) => `Receipts of ${name}`,
  close: 'Close',
  loading: 'Fetching the receipts and checking their signatures …',
  checkedTitle: (count: number) => (count === 1 ? 'The receipt was checked' : `All ${count} receipts were checked`),
  checked:
    'In this browser: both signatures of each (Ed25519 and ML-DSA-65) hold, under keys this browser knows; they name this server and follow on each other in its log; and together they are for exactly the parts of this file, as the server lists them.',
  wrongTitle: 'These receipts do not hold',
  wrong: 'Do not rely on them. Keep your own copy of the file, and ask whoever runs the server.',
  landing: 'It arrived from a guest',
  roles,
  number: 'Number in the server’s log',
  received: 'Signed at',
  size: 'Length, sealed',
  hash: 'Fingerprint of the sealed bytes',
  key: 'Signed with key',
  prior: 'Follows on',
  first: 'the first receipt of this server',
  upload: 'Upload',
  ok: 'Checked',
  save: 'Save this receipt',
  saveOf: (number: number) => `Save this receipt: number ${number}`,
  saveAll: 'Save all of them',
  keep: 'Keep saved receipts: with one the server cannot deny that it had the file. Anybody can check it without this page, with the server’s published keys.',
}

const keys = {
  heading: 'The server’s signing keys',
  intro:
    'The server signs its receipts with these. This browser remembers them, so that it notices when one is taken back or exchanged.',
  since: (from: string) => `In use since ${from}`,
  until: (from: string, to: string) => `In use from ${from} to ${to}`,
  active: 'Signs now',
  former: 'No longer signs',
  known: 'Known to this browser',
  fresh: 'New to this browser',
  freshAll: 'This browser sees this server’s keys for the first time, and remembers them from now on.',
  alarmTitle: 'Alarm: the server’s signing keys are not what they were',
  alarm:
    'An honest server never does this: its list only grows. Delete nothing, rely on no receipt, and ask whoever runs this server by another way what happened. Until then no check here says yes.',
  remembered: 'What this browser remembers',
  gone: 'Not on the list any more',
  cannotRemember: 'This browser keeps nothing (a private window?), so it cannot notice when a key is exchanged.',
  id: 'Key',
}

const report = {
  title: 'Blindkeep: check of stored files',
  server: 'Server',
  made: 'Written',
  depth: 'Asked for',
  deep: 'every byte read again (thorough)',
  structural: 'there, whole, free to fetch (quick)',
  scope: 'Files',
  result: 'Result',
  list: 'Each file',
  fileName: 'storage-check',
}

const picker = {
  title: 'Choose files to check',
  close: 'Close',
  done: (count: number) => (count === 0 ? 'Choose none' : `Choose ${files(count)}`),
  more: 'Show more',
  nameLoading: '…',
  nameFault: 'A name that cannot be read',
  stored: (when: string) => `stored ${when}`,
}

export const storage = {
  title: 'Storage',
  intro: 'How much room you use, and whether the server really holds what you gave it.',
  quota,
  check,
  results,
  kinds,
  parts,
  safe,
  compare,
  compareKinds,
  audit,
  refused: 'The server refused a part of what it was asked for.',
  receipts,
  keys,
  report,
  picker,
}
