import { files, number, plural } from './counts.ts'

export const proof = {
  title: 'Proofs with each file’s key',
  close: 'Close',
  key: 'A proof contains the key of its file and the id of this link. A person who gets it and the encrypted bytes can open the file. Give it only to people who may read the file, and after the link has ended.',
  found:
    'Found on your device, it is evidence that you had the file. If you fear a search, save neither proofs nor receipts.',
  checking: 'Each file is read once more, and its proof is checked here…',
  failed: 'The proofs could not be made. Check your connection and try again.',
  retry: 'Try again',
  reads: (count: number) => `A person who gets ${plural(count, 'this proof', `these ${number(count)} proofs`)} reads:`,
  sender: 'Your name',
  note: 'Message',
  go: 'Sent in one go',
  goFiles: (count: number) => files(count),
  name: 'Files',
  changedAt: (when: string) => `changed ${when}`,
  more: (count: number) => `… and ${number(count)} more`,
  changed: (count: number) =>
    plural(
      count,
      'No proof for this file: it can no longer be read as it was sent.',
      `No proofs for these ${files(count)}: they can no longer be read as they were sent.`,
    ),
  save: (count: number) => plural(count, 'Download the proof', `Download ${number(count)} proofs`),
  cancel: 'Cancel',
}
