/** Other people choose these texts, and pages draw them again and again. No text may take more than its length. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { passwordStrength } from '@blindkeep/client/passwordStrength'
import { safeName } from '@blindkeep/client/safeName'
import { parseDropId, parseOpaqueId } from '@blindkeep/protocol/ids'
import { assertLinear, HOSTILE_TEXTS } from '../../../testing/linear.ts'
import { baseUrlBefore } from './common/address/baseUrl.ts'
import { folderOf } from './common/files/chosenFiles.ts'
import { readerLocale } from './common/language/language.ts'
import { fileEnding } from './common/names/fileEnding.ts'
import { shortened } from './guest/engine/entries/snapshot.ts'
import { sealedNameOf } from './guest/engine/files/sealedName.ts'
import { albumName } from './owner/assets/assetNames.ts'
import { parseRoute } from './owner/ground/route.ts'
import { albumsTexts, inboxTexts, linksTexts } from './owner/ground/texts.ts'
import { batchTitle, nameOf, plainNameOf, shortNoteOf } from './owner/inbox/dropTexts.ts'
import { labelOf } from './owner/links/linkLabel.ts'
import { readForPreview } from './preview/previewContent.ts'

const dropId = parseDropId('00000000-0000-4000-8000-000000000001')
const opaqueId = parseOpaqueId('0'.repeat(32))
assert.ok(dropId && opaqueId)
const entry = { dropId, opaqueId, ciphertextHash: '', sealedBytes: 1, kemCt: '', receivedAt: '', adopting: false }

/** As the client returns a drop whose header was opened. */
function itemOf(name: string) {
  const file = { name, safeName: safeName(name), type: name, note: name, sender: name, modifiedAt: undefined, size: 1 }
  return { ...entry, file }
}

const ofText: Readonly<Record<string, (text: string) => unknown>> = {
  'a row of the inbox': (name) => {
    const item = itemOf(name)
    return [nameOf(item, inboxTexts.en), plainNameOf(item, inboxTexts.en), shortNoteOf(name)]
  },
  'the title of a batch': (sender) => batchTitle({ items: [], sender }, inboxTexts.en),
  fileEnding,
  'baseUrlBefore, of a path': (path) =>
    baseUrlBefore({ origin: 'https://example.org', pathname: path }, /\/(?:v\/[^/]*)?$/),
  'sealedNameOf, of a folder': (folder) => sealedNameOf({ folder, name: folder }),
  shortened,
  folderOf,
  'albumName, of a name': (name) => albumName({ name, nameFault: undefined }, albumsTexts.en),
  'labelOf, of a label': (label) => labelOf({ label }, linksTexts.en),
  parseRoute,
  'readerLocale, of a language tag': (tag) => readerLocale('en', [tag]),
  'passwordStrength, of a password without combining marks': (password) =>
    passwordStrength(password.replace(/\p{M}/gu, ''), 'aaaa@example.org'),
  'readForPreview, of a text': (text) => readForPreview(new Blob([text]).stream()),
}

for (const [name, run] of Object.entries(ofText))
  describe(`the work of ${name}`, () => {
    for (const [shape, input] of Object.entries(HOSTILE_TEXTS))
      it(`rises with the length of ${shape}`, () => assertLinear({ input, run }))
  })
