/** Texts of others: guests' names, notes and addresses, servers' answers. None takes more than its length. */
import { describe, it } from 'node:test'
import { utf8 } from '@blindkeep/protocol/bytes'
import { parseJson } from '@blindkeep/protocol/json'
import { assertLinear, HOSTILE_TEXTS } from '../../../testing/linear.ts'
import { secretOfWords } from './account/recoveryWords.ts'
import { answerFault } from './drops/answerFaults.ts'
import { fileKindFault } from './drops/fileKinds.ts'
import { parseFragment } from './drops/fragment.ts'
import { parseLink } from './drops/linkAddress.ts'
import { foldersFor, parseFolderTemplate } from './folderTemplate.ts'
import { safeName } from './ground/safeName.ts'
import { excessIn, readAnswer } from './http/answer.ts'
import { baseUrlOrUndefined } from './http/baseUrl.ts'
import { parseProof, readProofs } from './opening/readProof.ts'
import { safePath } from './safePath.ts'
import { streamOf } from './seal/byteReader.ts'
import { descriptionOf, FileHeader } from './seal/fileHeader.ts'
import { decodeHeader, encodeHeader } from './seal/header.ts'
import { parseShare, parseShareFragment } from './share/shareAddress.ts'
import { createEventStreamParser } from './sync/eventStreamParser.ts'

const ID = '0123456789abcdef'.repeat(2)

async function readAll(text: string): Promise<void> {
  for await (const _ of readProofs(streamOf(utf8(text))));
}

const ofText: Readonly<Record<string, (text: string) => unknown>> = {
  safeName,
  'descriptionOf, of a name': (name) => descriptionOf({ size: 0, name }),
  'encodeHeader and decodeHeader, of a note': (note) => decodeHeader(encodeHeader({ size: 0, note })),
  secretOfWords: secretOfWords,
  'baseUrlOrUndefined, of a path': (path) => baseUrlOrUndefined(`https://example.org/${path}`),
  'parseLink, of a path': (path) => parseLink(`https://example.org/${path}/u/${ID}#${'A'.repeat(66)}`),
  'parseLink, of parts': (path) => parseLink({ baseUrl: `https://example.org/${path}`, opaqueId: ID, fragment: path }),
  'parseShare, of an address': (path) => parseShare(`https://example.org/${path}/v/${ID}#${'A'.repeat(44)}`),
  'parseLink, of a rewritten address': (path) => parseLink(`https://example.org/u/${ID}%2523${path}`),
  parseFragment,
  parseShareFragment,
  excessIn,
  'excessIn, of a string': (text) => excessIn(`"${text}`),
  parseJson,
  'parseProof, of a name': (name) => parseProof(utf8(JSON.stringify({ file: { name } }))),
  'readProofs, of lines': (text) => readAll(`{"a":1}\n${text}`),
  // Texts of lists have bounds that are compared first; these texts of others have none.
  'safePath, of folders by an answer': (value) =>
    safePath('a.pdf', foldersFor(parseFolderTemplate('{a}/{sender}'), { fields: [['a', value]], sender: value })),
  'answerFault, of a text': (value) => answerFault({ label: 'a', required: true, kind: 'text', most: 5 }, value),
  'fileKindFault, of a name': (name) => fileKindFault(['pdf'], name, undefined),
  'readAnswer, of a stored header': (name) => readAnswer(FileHeader, { size: 0, name, modified_at: name }),
  'an event stream, as one piece': (text) => createEventStreamParser().push(text),
  'an event stream, as single characters': (text) => {
    const parser = createEventStreamParser()
    for (const character of text) parser.push(character)
  },
}

for (const [name, run] of Object.entries(ofText))
  describe(`the work of ${name}`, () => {
    for (const [shape, input] of Object.entries(HOSTILE_TEXTS))
      it(`rises with the length of ${shape}`, () => assertLinear({ input, run }))
  })
