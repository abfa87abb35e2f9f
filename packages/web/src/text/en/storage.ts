/** The storage page. People delete files after it, so no sentence may promise more than was checked. */
import type { AuditReason } from '@blindkeep/client/errors'
import type { BundleRole, SampleFault } from '@blindkeep/client/verify'
import type { QuotaState } from '@blindkeep/protocol/schemas/quota'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'
import { files, number, plural } from './counts.ts'

interface Words {
  readonly title: string
  readonly meaning: string
}

const quotaStates: Readonly<Record<QuotaState, Words>> = {
  ok: { title: 'The limit is not reached', meaning: 'You need to do nothing.' },
  soft_warning: {
    title: 'Your storage is nearly full',
    meaning:
      'Uploads and files from guests still arrive. Make space before it is full: discard files from the inbox, delete files that you no longer need, and empty the bin, or ask the operator of this server for more space.',
  },
  hard_exceeded: {
    title: 'Your storage is full',
    meaning:
      'Nothing new arrives: your uploads stop, and guests see that there is no room. Stored files stay. Discard files from the inbox, delete files that you no longer need, and empty the bin, or ask the operator of this server for more space.',
  },
  grace_expired: {
    title: 'Your storage has been full for too long',
    meaning:
      'Nothing new arrives, and the time to make space is over. The operator of this server now decides what happens to your files. Make space today, or contact the operator.',
  },
}

const quota = {
  heading: 'Space',
  states: quotaStates,
  used: (used: string, limit: string) => `${used} of ${limit} used`,
  usedUnlimited: (used: string) => `${used} used`,
  unlimited: 'Your account has no limit.',
  soft: (limit: string) => `You get a warning at ${limit}.`,
  left: (left: string) => `${left} left`,
  none: 'nothing left',
  what: 'This includes files in albums, in the inbox and in the bin, and uploads in progress. Encryption adds a little to the size of each file.',
  bar: 'Storage used',
  inBin: (size: string) => `${size} of them are in the bin.`,
  toBin: 'Open the bin',
  toPage: 'Go to Storage',
}

const kinds = {
  held_deep: {
    title: 'Stored: every byte was read and is correct',
    meaning: 'The server read the whole encrypted file for this check. It is the file that your device signed.',
  },
  held_structural: {
    title: 'Stored, but its bytes were not read',
    meaning:
      'The whole file is there and can be downloaded. Only a thorough check shows whether every byte is still correct.',
  },
  tampered: {
    title: 'Contradiction',
    meaning: 'The server’s answer contradicts what was signed. Do not rely on it. Keep your own copy.',
  },
  damaged: {
    title: 'Damaged',
    meaning: 'The server read its copy, and the bytes are wrong. Keep your own copy and upload the file again.',
  },
  sample_bad: {
    title: 'A piece is not right',
    meaning:
      'This browser asked for random pieces of this file, and one did not arrive, or does not open with your key. Keep your own copy, and try to download the file.',
  },
  missing: {
    title: 'Not stored',
    meaning: 'The server no longer knows this file: it was deleted or lost. Keep your own copy.',
  },
  not_held: {
    title: 'Not stored',
    meaning: 'The server does not have the whole file, or cannot read it. Keep your own copy and upload it again.',
  },
  withheld: {
    title: 'Withheld',
    meaning:
      'The server has the bytes but does not release them: the operator blocks them, or the server’s copy is damaged. Keep your own copy, and ask the operator of this server.',
  },
  not_vouched: {
    title: 'Not confirmed',
    meaning: 'The server does not confirm that it has the whole file. Keep your own copy.',
  },
  unreadable: {
    title: 'Cannot be opened',
    meaning: 'Your key does not open what the server sends for this file. Keep your own copy.',
  },
  unsigned: {
    title: 'Not signed',
    meaning:
      'No device of yours has signed this file, so the server could show you another file in its place. Keep your own copy.',
  },
  device_revoked: {
    title: 'Signed by a revoked device',
    meaning:
      'You revoked the device that signed this file. A person who has that device could have signed another file in its place. Keep your own copy.',
  },
  other_file: {
    title: 'A different file',
    meaning: 'The stored file is not the same, byte for byte. Keep your own copy.',
  },
  incomplete: {
    title: 'Not complete',
    meaning: 'A part of it never arrived, because its upload stopped early. Finish the upload, and keep your own copy.',
  },
  not_examined: {
    title: 'Not read, although requested',
    meaning: 'The server was asked to read every byte and did not. Keep your own copy.',
  },
  not_yet: {
    title: 'Not checked yet',
    meaning: 'The server reads only a limited amount per hour. Continue in an hour, and keep your own copy until then.',
  },
  no_answer: {
    title: 'Not checked',
    meaning: 'There was no reliable answer. Keep your own copy, and check again.',
  },
}

const parts: Readonly<Record<BundleRole, string>> = {
  original: 'the file itself',
  metadata: 'its encrypted name',
  provenance: 'its signature',
}

const check = {
  heading: 'Is everything really there?',
  intro:
    'Asks the server about each file. An answer counts only if it agrees with your own devices’ signatures and with the server’s signed receipts.',
  scope: 'Which files',
  all: (count: number, hasInbox: boolean) => {
    const all = plural(count, 'Your only file', `All ${files(count)}`)
    if (!hasInbox) return all
    return count === 0 ? 'The inbox' : `${all} in albums, and the inbox`
  },
  album: 'One album',
  albumLabel: 'Album',
  albumUnnamed: 'Unnamed album',
  some: 'Only some',
  chosen: (count: number) => (count === 0 ? 'None selected yet' : `${files(count)} selected`),
  choose: 'Select files',
  depth: 'How closely',
  deep: 'Thorough: the server reads every byte',
  deepHint:
    'Finds damage too. The server reads only a limited amount per hour and account. The other files are listed as “Not checked yet”, and you can continue later.',
  structural: 'Quick: is the whole file there, and can it be downloaded?',
  structuralHint: 'Takes a moment. It does not find damaged bytes.',
  start: 'Check now',
  nothing: 'You have no files to check yet.',
  running: (done: number, total: number) => `${number(done)} of ${files(total)} checked`,
  runningTitle: 'Checking',
  cancel: 'Stop',
  canLeave: 'You can use the other pages. The check continues while this tab is open.',
  again: 'New check',
  resume: (count: number) => `Check the ${files(count)} not checked yet`,
  stopped: 'Stopped. The results so far are below.',
  failed: 'The check could not continue.',
}

const pieces = (count: number) => `${number(count)} ${plural(count, 'piece', 'pieces')}`

const sample = {
  label: 'Sample: this browser downloads random pieces and opens them',
  hint: 'Does not rely on the server’s word: only your keys tell right bytes from wrong ones. It finds that a part of all pieces is lost, and hardly a single lost file, so it does the quick check of each file, too.',
  howMany: 'How many pieces of at most 1 MiB',
  finds: (share: string) => `Almost always finds it when ${share} of all pieces are lost.`,
  cost: (size: string) => `Downloads at most ${size}, and about 30 kB for each file.`,
  running: (done: number, total: number) => `${number(done)} of ${pieces(total)} opened`,
  none: 'There was no signed file to draw pieces from.',
  opened: (good: number, drawn: number, of: number) =>
    `Sample: ${number(good)} of ${pieces(drawn)} opened, drawn at random from ${number(of)}.`,
  found: (share: string) =>
    `If ${share} of all pieces were lost, a sample like this would find it with 99% probability. It does not find a single lost file among many.`,
  bad: (count: number) => `${pieces(count)} ${plural(count, 'was', 'were')} not right: see the files below.`,
  notAsked: (count: number) =>
    `${pieces(count)} could not be asked for: the connection failed, the check was stopped, or the file was deleted meanwhile. A server can bring that about for what it lacks. So this sample proves nothing. Check again.`,
  someVersion: (count: number) =>
    `${pieces(count)} may be of an older version of a file, because this browser has not sealed the file or read it to its end.`,
  faults: {
    missing: 'The server says that it does not have the bytes.',
    refused: 'The server refused the bytes.',
    late: 'The server did not send the bytes in time.',
    other_range: 'The server sent other bytes than those that were asked for.',
    altered:
      'The bytes do not open: they are not these bytes of this file. If it came from a guest, the guest may have sent it so.',
    other_version:
      'The file begins otherwise than when this browser sealed or read it: the server may show an older version.',
  } satisfies Readonly<Record<SampleFault, string>>,
  limits: [
    'Pieces that were not drawn. A sample finds that a part of all pieces is lost, not a single lost file.',
    'Whether a piece is of an older version of its file, where this browser does not know how the file begins.',
    'What the sender of a file from the inbox could forge: the sender knows the key of that file.',
  ],
  runs: 'Samples in this browser',
  runsIntro:
    'What was drawn and what came of it, without names. The record convinces you, and no one else. It stays in this browser.',
  run: (good: number, drawn: number, of: number) =>
    `${number(good)} of ${pieces(drawn)} opened, of ${number(of)} in all.`,
  runStopped: 'Stopped.',
  saveRuns: 'Download as JSON',
  fileName: 'samples',
}

const all = (count: number, hasInbox: boolean) =>
  `${plural(count, 'The file', `All ${files(count)}`)}${hasInbox ? ' in albums' : ''}`

const results = {
  heading: 'Result',
  summaries: {
    nothing: () => 'There was nothing to check.',
    inbox_only: () => 'There are no files in albums.',
    problems: (bad: number, total: number) =>
      `${number(bad)} of ${files(total)} ${plural(bad, 'has a problem. Keep your own copy', 'have a problem. Keep your own copies')}.`,
    unchecked: (open: number, total: number) =>
      `${number(open)} of ${files(total)} could not be checked yet. Do not delete your own ${plural(open, 'copy', 'copies')}.`,
    structural: (count: number, hasInbox: boolean) =>
      `${all(count, hasInbox)} ${plural(count, 'is', 'are')} there in full length. Not all bytes were read.`,
    all_read: (count: number, hasInbox: boolean) =>
      `${all(count, hasInbox)} ${plural(count, 'is', 'are')} stored: every byte was read and is correct.`,
  },
  inbox: ({ files: all, damaged, held }: Readonly<Record<'files' | 'damaged' | 'held', number>>) => {
    const bad = [
      ...(damaged > 0 ? [`${number(damaged)} damaged on the server`] : []),
      ...(held > 0 ? [`${number(held)} withheld by the operator`] : []),
    ]
    const known = bad.length === 0 ? 'the server knows of no damage' : bad.join(', ')
    return `Inbox: ${files(all)}, ${known}. Their bytes were not read for this check. Keep a file to have it checked.`
  },
  between: (from: string, to: string) =>
    from === to
      ? `This was true on ${from} (the server’s clock).`
      : `This was true between ${from} and ${to} (the server’s clock).`,
  changedSince: (count: number) =>
    `${files(count)} ${plural(count, 'has', 'have')} been deleted, moved or changed since this check. Check again.`,
  counts: {
    deep: (count: number) => `${number(count)} stored, every byte read`,
    structural: (count: number) => `${number(count)} stored, bytes not read`,
    problems: (count: number) => `${number(count)} with a problem`,
    unchecked: (count: number) => `${number(count)} not checked`,
  },
  filter: 'Show',
  filterAll: 'All',
  filterProblems: 'Problems and not checked',
  noProblems: 'No file has a problem.',
  more: (count: number) => `Show ${number(count)} more`,
  unnamed: 'Unnamed file',
  concerned: (list: string) => `In doubt: ${list}.`,
  unread: (list: string) => `Not read: ${list}.`,
  receipts: 'Receipts',
  receiptsOf: (name: string) => `Receipts of ${name}`,
  notAsked: 'Not checked yet',
  checkedHeading: 'What was checked for each file that is called “stored”',
  checkedDone: [
    'One of your own devices signed it (if you have revoked that device, the file says so), and your key opens its name and its beginning.',
    'The server’s signed receipts are for exactly these encrypted bytes. Both signatures of each are valid, the receipts are in the order of one log, and their keys are the server’s keys that this browser remembers.',
    'The server then said that exactly these bytes are completely there and can be downloaded.',
  ],
  checkedDeep: 'Where the result says so, the server read every byte for this answer.',
  uncheckedHeading: 'What this check cannot show',
  uncheckedList: [
    'Whether the list of your files is complete. The list comes from the server, and a file that is not on it is not checked. If you have copies, compare them below to find missing files.',
    'Whether the server tells the truth about its disks, or will still have the files tomorrow. The receipts prove that it had them. For more certainty, download a file and open it.',
    'Whether a copy elsewhere is the same file. Compare it below before you delete it.',
    'Previews. If they are lost, they are created again from the file.',
  ],
  save: 'Download report',
  saveJson: 'Download as JSON',
  print: 'Print',
}

const safe = {
  heading: 'Can I delete my other copies?',
  no: 'No. Keep every copy of the files with a problem.',
  notYet: 'Not yet. Not everything could be checked.',
  notDeep: 'No. The bytes were not read. Run a thorough check, or compare your copies.',
  compare:
    'Not because of this check alone. The server has the files that your devices signed. Only a comparison shows whether a copy elsewhere is the same file.',
  action: 'Compare my copies',
}

export const compareKinds = {
  ...kinds,
  safe: {
    title: 'You may delete this copy',
    meaning:
      'This browser encrypted your copy again, and the result is exactly the stored file. Its receipts are valid, and the server read every byte of the stored file and found it correct.',
  },
  changed_since: {
    title: 'Compared before later changes',
    meaning:
      'Since then the stored file has been deleted, moved or changed. Keep your copy, and compare it again before you delete it.',
  },
  no_match: {
    title: 'No stored file has this size',
    meaning: 'This copy is therefore not stored on the server. Keep your copy.',
  },
  file_unreadable: {
    title: 'This copy could not be read',
    meaning: 'It was moved, changed or deleted during the comparison. Keep it, and choose it again.',
  },
  file_empty: {
    title: 'This copy is empty for this browser',
    meaning:
      'So nothing can be compared: a browser cannot tell an empty file from one whose disk does not state its size. Keep this copy, open it, and delete it only if you see that there is nothing in it.',
  },
  waiting: { title: 'Waiting', meaning: 'Not compared yet. Keep your copy.' },
  comparing: { title: 'Comparing', meaning: 'Keep your copy until the result is there.' },
}

const compare = {
  heading: 'Before you delete your own copies',
  intro:
    'Choose the copies on this device that you want to delete. This browser compares each of them with the stored file, byte for byte, and the server has to read its own copy. Nothing is uploaded or deleted.',
  chooseFiles: 'Choose copies',
  chooseFolder: 'Choose a folder',
  dropHere: 'or drop them here',
  running: (done: number, total: number) => `${number(done)} of ${files(total)} compared`,
  reading: (name: string) => `Comparing ${name}`,
  cancel: 'Stop',
  again: 'Compare the other copies again',
  clear: 'Clear',
  yesHeading: (count: number) =>
    plural(count, 'Yes: you may delete this copy', `Yes: you may delete these ${number(count)} copies`),
  yes: (when: string) =>
    `Each one is, byte for byte, a file that the server stores (${when}). The server read every byte of its own copies for this, and its signed receipts are valid. This was true at that time. It is no promise for later.`,
  when: (from: string, to: string) => (from === to ? `proven on ${from}` : `proven between ${from} and ${to}`),
  noHeading: (bad: number, total: number) => {
    if (bad < total) return `No: keep ${number(bad)} of ${number(total)} copies`
    return plural(total, 'No: keep this copy', `No: keep all ${number(total)} copies`)
  },
  no: 'Do not delete these copies:',
  some: (count: number) =>
    plural(count, 'The other copy may be deleted.', `The other ${number(count)} copies may be deleted.`),
  runningVerdict: 'No result yet. Keep everything until all copies are compared.',
  keptAs: (name: string) => `Stored as ${name}`,
  mine: 'Your copies',
}

const audit: Readonly<Record<AuditReason, string>> = {
  receipt_malformed: 'The server sent something as a receipt that is not one.',
  receipt_altered: 'A receipt is not the one that was issued.',
  reading_differs: 'The server describes a receipt differently from its signed bytes.',
  signature_invalid: 'A signature of a receipt is not valid: the server did not sign these bytes.',
  unknown_key: 'A receipt is signed with a key that the server does not publish.',
  key_malformed: 'The server’s list of signing keys contradicts itself.',
  key_vanished:
    'A signing key that this browser remembers is missing from the server’s list. An honest server never removes a key, unless it is restored from a backup that is older than the key.',
  key_changed:
    'A signing key that this browser remembers was changed on the server’s list. An honest server never changes a key, unless it is restored from an older backup.',
  key_not_active: 'A receipt has a date on which its key was not in use.',
  outside_era:
    'A receipt has both signatures of a key that was active then, but the server states that it had not signed it: it has forgotten or denies what it signed, or the key was stolen.',
  moves_malformed: 'What the server says about its signing keys and former names contradicts itself or is not signed.',
  moves_vanished:
    'A statement about the server’s signing keys that this browser remembers is missing or was changed, or a new key has none. An honest server never does that, unless it is restored from an older backup.',
  wrong_server: 'An answer names another server than this one.',
  wrong_hash: 'A receipt is for other bytes than this file’s.',
  wrong_size: 'A receipt is for another size than this file’s.',
  wrong_upload: 'A receipt is for another upload.',
  wrong_drop: 'A receipt is for another guest’s file.',
  wrong_asset: 'A receipt is for another file.',
  wrong_role: 'A receipt is for a part that this file does not have.',
  wrong_envelope: 'The receipt of the signature does not name what was signed.',
  receipt_missing: 'A receipt is missing: the server has not signed that it has the whole file.',
  chain_broken: 'The receipts are not in the order that the server’s log requires.',
  chain_forked:
    'The server contradicts a receipt that this browser remembers: it has signed two different logs. An honest server never does that, not even after a restore.',
  verdict_malformed: 'The server’s answer contradicts itself, or is about something else than was asked.',
}

const roles: Readonly<Record<BlobRole, string>> = {
  original: 'The file itself',
  metadata: 'Its encrypted name and message',
  provenance: 'The signature of your device',
  derivative: 'A preview',
}

const receipts = {
  title: (name: string) => `Receipts of ${name}`,
  close: 'Close',
  loading: 'Getting the receipts and checking their signatures…',
  checkedTitle: (count: number) =>
    plural(count, 'The receipt was checked', `All ${number(count)} receipts were checked`),
  checked:
    'In this browser: both signatures of each receipt (Ed25519 and ML-DSA-65) are valid, with keys that this browser knows. The receipts name this server and are in the order of its log. Together they cover exactly the parts of this file that the server lists.',
  checkedNames:
    'In this browser: both signatures of each receipt (Ed25519 and ML-DSA-65) are valid, with keys that this browser knows. The receipts name this server, or the address that it says it had when their key was in use, and are in the order of its log. Together they cover exactly the parts of this file that the server lists.',
  /** The former name is the server's own word, unless this browser has known its key since then. */
  formerName: (server: string, former: string, until: string) =>
    `Receipts with the server ${former} are signed by a key that ${server} lists as its own. It says that it was ${former} until ${until}.`,
  wrongTitle: 'These receipts are not valid',
  wrong: 'Do not rely on them. Keep your own copy of the file, and ask the operator of this server.',
  landing: 'It arrived from a guest',
  roles,
  number: 'Number in the server’s log',
  server: 'Server',
  received: 'Signed on',
  size: 'Encrypted size',
  hash: 'Fingerprint of the encrypted bytes',
  key: 'Signing key',
  prior: 'Follows',
  first: 'the first receipt of this server',
  upload: 'Upload',
  ok: 'Checked',
  save: 'Download this receipt',
  saveOf: (receipt: number) => `Download this receipt: number ${receipt}`,
  saveAll: 'Download all',
  keep: 'Keep the downloaded receipts: with a receipt, the server cannot deny that it had the file. Anyone can check a receipt without this page, with the server’s published keys.',
}

const keys = {
  heading: 'The server’s signing keys',
  intro:
    'The server signs its receipts with these keys. This browser remembers them and notices when one is removed or replaced.',
  since: (from: string) => `In use since ${from}`,
  until: (from: string, to: string) => `In use from ${from} to ${to}`,
  active: 'In use',
  former: 'No longer in use',
  known: 'Known to this browser',
  fresh: 'New to this browser',
  freshAll: 'This browser sees the keys of this server for the first time, and remembers them from now on.',
  alarmTitle: 'Warning: the server’s signing keys have changed in a way that they must not',
  alarm:
    'An honest server only adds keys. Delete nothing, and rely on no receipt. Contact the operator of this server, but not through this server. Until this is resolved, no check here says yes.',
  accept:
    'Either the operator restored the server from a backup, or the server has been tampered with: this browser cannot tell. If the operator says that it was a restore, delete the data of this site in the settings of this browser, and sign in again. The browser then remembers the keys that the server shows at that time. Receipts and unfinished uploads that it keeps of this site are deleted, too.',
  acceptLocal:
    'Either the operator restored the server from a backup, or the server has been tampered with: this page cannot tell. The keys are remembered on this computer. If the operator says that it was a restore, run “blindkeep verify” in a terminal: it names the file to remove. The keys that the server shows after that are then remembered.',
  remembered: 'Keys that this browser remembers',
  cannotRemember:
    'This browser stores nothing, perhaps because this is a private window. It cannot notice when a key is replaced.',
  id: 'Key',
}

const report = {
  title: 'Blindkeep: check of stored files',
  server: 'Server',
  made: 'Created',
  depth: 'Kind of check',
  deep: 'thorough (every byte is read)',
  structural: 'quick (the whole file is there and can be downloaded)',
  sample: 'sample (quick, and random pieces were downloaded and opened)',
  scope: 'Files',
  result: 'Result',
  list: 'Each file',
  fileName: 'storage-check',
  signerRevoked: 'Signed by a device that you revoked',
}

const picker = {
  title: 'Select files to check',
  close: 'Close',
  done: (count: number) => (count === 0 ? 'Select none' : `Select ${files(count)}`),
  more: 'Show more',
  nameLoading: '…',
  nameFault: 'Name cannot be read',
  stored: (when: string) => `stored ${when}`,
}

export const storage = {
  title: 'Storage',
  intro: 'How much space you use, and whether the server really stores your files.',
  quota,
  check,
  results,
  kinds,
  sample,
  parts,
  safe,
  compare,
  compareKinds,
  audit,
  refused: 'The server refused a part of the request.',
  receipts,
  keys,
  report,
  picker,
}
