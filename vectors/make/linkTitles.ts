import { concatBytes, toHex } from '@blindkeep/protocol/bytes'
import { linkKeysOf } from '../../packages/client/src/drops/dropKeys.ts'
import { fileKindsText } from '../../packages/client/src/drops/fileKinds.ts'
import { sealLinkTitle } from '../../packages/client/src/drops/linkTitle.ts'
import { type Question, questionsText } from '../../packages/client/src/drops/questions.ts'
import { linkTitleKey } from '../../packages/client/src/seal/derive.ts'
import type { Header } from '../../packages/client/src/seal/header.ts'
import { createSealer, sealSmall } from '../../packages/client/src/seal/seal.ts'
import { ACCOUNT_KEY, ALBUM_ID, OPAQUE_ID, SALT } from './inputs.ts'

const { linkSecret } = linkKeysOf(ACCOUNT_KEY, OPAQUE_ID)
const seal = { linkSecret, opaqueId: OPAQUE_ID, salt: SALT }
const key = linkTitleKey(linkSecret, OPAQUE_ID)
const LONGEST = { title: '文'.repeat(200), message: '文'.repeat(500) }

const QUESTIONS: readonly Question[] = [
  { label: 'Matter number', kind: 'text', required: true, most: 20 },
  { label: 'Topic', kind: 'choice', required: false, choices: ['Invoice', 'Grüße – 文'] },
  { label: 'Day', kind: 'date', required: true },
  { label: 'Amount', kind: 'number', required: false },
]
/** Of the longest text that is read. */
const MANY: readonly Question[] = [
  { label: 'c'.repeat(200), kind: 'choice', required: true, choices: distinct(20, 100) },
  ...distinct(9, 175).map((label): Question => ({ label, kind: 'text', required: false, most: undefined })),
]
const MANY_KINDS = distinct(100, 4)

function distinct(count: number, length: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${index}`.padStart(length, '0'))
}

export async function linkTitleVectors() {
  const texts = [
    { name: 'title and message', title: 'Photos of the wedding – Grüße', message: 'Until Sunday, please. 文' },
    { name: 'a title alone', title: 'Scans' },
    { name: 'a message alone', message: 'No videos.' },
    { name: 'neither' },
    { name: 'the longest texts', ...LONGEST },
    { name: 'with a name', title: 'Scans', from: 'Dr. Grün’s practice' },
    { name: 'the longest texts with the longest name', ...LONGEST, from: '文'.repeat(100) },
    { name: 'with questions and kinds of files', title: 'Scans', questions: QUESTIONS, fileKinds: ['pdf', 'jpg'] },
    { name: 'the longest of all', ...LONGEST, from: '文'.repeat(100), questions: MANY, fileKinds: MANY_KINDS },
  ]
  const valid = []
  for (const { name, questions, fileKinds, ...given } of texts)
    valid.push({
      name,
      link_secret: toHex(linkSecret),
      opaque_id: toHex(OPAQUE_ID),
      key: toHex(key),
      salt: toHex(SALT),
      ...given,
      ...(questions && { questions: questionsText(questions) }),
      ...(fileKinds && { file_kinds: fileKindsText(fileKinds) }),
      sealed: toHex(await sealLinkTitle(seal, { ...given, questions, fileKinds })),
    })
  return {
    valid,
    /** As typed, and as a reader shows it. */
    lines: [
      { name: 'line ends and tabs', given: ' one\r\n\ttwo\u2028three ', shown: 'one two three' },
      { name: 'characters that turn the direction', given: 'a\u202Egpj.exe\u2069 b', shown: 'agpj.exe b' },
      { name: 'nothing else', given: '\u200F \u0000', shown: null },
      { name: 'fillers', given: '\u200B\u3164 \u2800', shown: null },
    ],
    questions: [
      { name: 'one of each kind', text: questionsText(QUESTIONS), read: membersOf(questionsText(QUESTIONS)) },
      {
        name: 'with spaces, escapes and a member that says nothing',
        text: '[ {"kind":"date", "label":"\\u00c4rger","required":false} ]',
        read: [{ label: 'Ärger', kind: 'date' }],
      },
    ],
    questions_passed_over: questionsPassedOver(),
    file_kinds: [
      { name: 'one', text: 'pdf', read: ['pdf'] },
      { name: 'several', text: 'pdf,7z,docx', read: ['pdf', '7z', 'docx'] },
    ],
    file_kinds_passed_over: Object.entries({
      'no text': '',
      'upper case': 'PDF',
      'with a dot': '.pdf',
      'with a space': 'pdf, jpg',
      'with two dots': 'tar.gz',
      'the same twice': 'pdf,jpg,pdf',
      'no ending between commas': 'pdf,,jpg',
      'an ending of 17 characters': 'x'.repeat(17),
      'of 504 bytes': distinct(101, 4).join(','),
    }).map(([name, text]) => ({ name, text })),
    tolerated: await tolerated(),
    invalid: await invalid(),
  }
}

/** A title that opens, without what does not fit. */
async function tolerated() {
  const headers: Readonly<Record<string, Header>> = {
    'questions that are no JSON': { size: 0, name: 'Scans', questions: '[{' },
    'questions that are too many': { size: 0, name: 'Scans', questions: JSON.stringify(plainDates(11)) },
    'kinds of files in upper case': { size: 0, name: 'Scans', file_kinds: 'PDF' },
    'answers, which belong to files': { size: 0, name: 'Scans', fields: '[["a","b"]]' },
  }
  const titles = Object.entries(headers).map(async ([name, header]) => ({
    name,
    title: 'Scans',
    sealed: toHex(await sealedHeader(header)),
  }))
  return await Promise.all(titles)
}

const membersOf = (text: string): unknown => JSON.parse(text)
const plainDates = (count: number) => distinct(count, 1).map((label) => ({ label, kind: 'date' }))

function questionsPassedOver() {
  const [date, choice] = [
    { label: 'a', kind: 'date' },
    { label: 'a', kind: 'choice', choices: ['b', 'c'] },
  ]
  const lists: Readonly<Record<string, unknown>> = {
    'an object': date,
    'an empty list': [],
    'eleven questions': plainDates(11),
    'the same label twice': [date, date],
    'a label in two spellings': ['\u00E9', 'e\u0301'].map((label) => ({ ...date, label })),
    'a label of a filler': [{ ...date, label: '\u3164' }],
    'an unknown member': [{ ...date, help: 'x' }],
    'an unknown kind': [{ ...date, kind: 'file' }],
    'without a label': [{ kind: 'date' }],
    'an empty label': [{ ...date, label: '' }],
    'a label of two lines': [{ ...date, label: 'a\nb' }],
    'a label with a space behind it': [{ ...date, label: 'a ' }],
    'a label that turns the direction': [{ ...date, label: 'a\u202Eb' }],
    'a label of 202 bytes': [{ ...date, label: 'é'.repeat(101) }],
    'required by a word': [{ ...date, required: 'yes' }],
    'choices of a date': [{ ...date, choices: ['b', 'c'] }],
    'one choice': [{ ...choice, choices: ['b'] }],
    'the same choice twice': [{ ...choice, choices: ['b', 'b'] }],
    'a choice in two spellings': [{ ...choice, choices: ['\u00E9', 'e\u0301'] }],
    '21 choices': [{ ...choice, choices: distinct(21, 2) }],
    'a choice of 101 bytes': [{ ...choice, choices: ['b', 'x'.repeat(101)] }],
    'a text of at most 501 characters': [{ label: 'a', kind: 'text', most: 501 }],
    'a text of at most 0 characters': [{ label: 'a', kind: 'text', most: 0 }],
    'a longest number': [{ label: 'a', kind: 'number', most: 5 }],
  }
  const texts = { 'no JSON': '[{', 'of 4201 bytes': `${JSON.stringify([date])}${' '.repeat(4175)}` }
  return [
    ...Object.entries(lists).map(([name, list]) => ({ name, text: JSON.stringify(list) })),
    ...Object.entries(texts).map(([name, text]) => ({ name, text })),
  ]
}

async function invalid() {
  const sealed = await sealLinkTitle(seal, { title: 'Scans' })
  const other = await sealLinkTitle({ ...seal, opaqueId: ALBUM_ID }, { title: 'Scans' })
  const blobs = {
    'of another link': { reason: 'wrong_key', sealed: other },
    'of another purpose': {
      reason: 'wrong_key',
      sealed: await sealSmall(new Uint8Array(0), { key, purpose: 'link-label', contextId: OPAQUE_ID, salt: SALT }),
    },
    'with content': {
      reason: 'header_invalid',
      sealed: await sealSmall(Uint8Array.of(1), { key, purpose: 'link-title', contextId: OPAQUE_ID, salt: SALT }),
    },
    'a title that is too long': {
      reason: 'header_invalid',
      sealed: await sealedHeader({ size: 0, name: 'x'.repeat(601) }),
    },
    'a name that is too long': {
      reason: 'header_invalid',
      sealed: await sealedHeader({ size: 0, sender: 'x'.repeat(301) }),
    },
    'a message that is too long': {
      reason: 'header_invalid',
      sealed: await sealedHeader({ size: 0, note: 'x'.repeat(1501) }),
    },
    'cut off': { reason: 'truncated', sealed: sealed.subarray(0, -1) },
    'with a byte behind it': { reason: 'altered', sealed: concatBytes(sealed, Uint8Array.of(0)) },
    empty: { reason: 'truncated', sealed: new Uint8Array(0) },
  }
  return Object.entries(blobs).map(([name, blob]) => ({ name, reason: blob.reason, sealed: toHex(blob.sealed) }))
}

async function sealedHeader(header: Header): Promise<Uint8Array> {
  const sealer = await createSealer({ key, purpose: 'link-title', contextId: OPAQUE_ID, header, salt: SALT })
  return concatBytes(sealer.prefix, await sealer.sealSegment(0, new Uint8Array(0)))
}
