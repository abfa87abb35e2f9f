import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { InboxItem } from '@blindkeep/client/owner'
import { safeName } from '@blindkeep/client/safeName'
import { parseDropId, parseOpaqueId } from '@blindkeep/protocol/ids'
import { formats } from '../../common/language/format.ts'
import { inboxTexts } from '../ground/texts.ts'
import { nameOf, plainNameOf, savedNameOf, shortNoteOf, totalOf, zipNameOf } from './dropTexts.ts'

function itemNamed(name: string): InboxItem {
  const dropId = parseDropId('00000000-0000-4000-8000-000000000001')
  const opaqueId = parseOpaqueId('0'.repeat(32))
  assert.ok(dropId && opaqueId)
  const file = {
    name,
    safeName: safeName(name),
    type: undefined,
    note: undefined,
    sender: undefined,
    modifiedAt: undefined,
    size: 1,
  }
  const receivedAt = '2026-01-01T00:00:00.000Z'
  return {
    dropId,
    opaqueId,
    ciphertextHash: '0'.repeat(64),
    sealedBytes: 1,
    kemCt: '',
    receivedAt,
    adopting: false,
    file,
  }
}

describe('the name of a file in the inbox', () => {
  it('is the sender’s, without characters that turn its direction', () => {
    assert.equal(nameOf(itemNamed(' Grüße 👩‍🚀.pdf '), inboxTexts.en), 'Grüße 👩‍🚀.pdf')
    assert.equal(nameOf(itemNamed('a\u202efdp.exe'), inboxTexts.en), 'afdp.exe')
  })

  it('is replaced by a text when it has no visible character', () => {
    for (const name of ['', '  ', '\u200b\u2060', '\u3164\u00ad', '\0\n', '\u202e'])
      assert.equal(nameOf(itemNamed(name), inboxTexts.en), inboxTexts.en.unnamed, JSON.stringify(name))
  })
})

describe('the name of a file in labels and sentences', () => {
  it('has the words that are shown, and of a very long name the beginning', () => {
    for (const name of ['trip/one:two.txt', ' a ', 'a\u202efdp.exe', '.hidden'])
      assert.equal(plainNameOf(itemNamed(name), inboxTexts.en), nameOf(itemNamed(name), inboxTexts.en))
    assert.equal(plainNameOf(itemNamed('n'.repeat(8000)), inboxTexts.en), `${'n'.repeat(200)}…`)
  })

  it('is plain words while it is read, where there is none, and where the file cannot be opened', () => {
    const { file: _, ...unread } = itemNamed('a')
    const unopened = { ...unread, fault: { reason: 'wrong_key', message: 'x' } } as const
    for (const text of Object.values(inboxTexts))
      for (const item of [unread, unopened, itemNamed('\u200b')])
        assert.match(text.discardOf(plainNameOf(item, text)), /^[\p{L} ]+\u00a0?…$/u)
  })

  it('is on a disk the one that was made when the header was opened', () => {
    const item = itemNamed('a/b')
    assert.ok(item.file)
    assert.equal(savedNameOf(item, inboxTexts.en), 'a_b')
    assert.equal(
      savedNameOf({ ...item, file: { ...item.file, safeName: 'made before' } }, inboxTexts.en),
      'made before',
    )
  })
})

describe('the name of a ZIP', () => {
  it('says how many files, whose if they have one sender, and when the newest arrived', () => {
    const [item, from] = [itemNamed('a'), (sender: string) => ({ ...item, file: { ...item.file, sender } })]
    const [ada, bob] = [from('Ada'), from('Bob')] as [InboxItem, InboxItem]
    const newer = { ...ada, receivedAt: '2026-03-05T12:00:00.000Z' }
    assert.equal(zipNameOf([ada, newer], inboxTexts.en), '2 files from Ada 2026-03-05.zip')
    assert.equal(zipNameOf([newer, bob], inboxTexts.en), '2 files 2026-03-05.zip')
  })
})

describe('a note in a list', () => {
  it('is the whole of a short note, and the beginning of a long one, without half a character', () => {
    assert.equal(shortNoteOf('for you'), 'for you')
    assert.equal(shortNoteOf('n'.repeat(401)), `${'n'.repeat(400)}…`)
    assert.ok(shortNoteOf('😀'.repeat(300)).isWellFormed())
    assert.ok(shortNoteOf(`n${'😀'.repeat(300)}`).isWellFormed())
  })
})

describe('the size of several files in the inbox', () => {
  const opened = { ...itemNamed('a.pdf'), sealedBytes: 2000 }
  const { file: _, ...unread } = { ...itemNamed('b.pdf'), sealedBytes: 3000 }

  it('is what their rows add up to', () => {
    assert.equal(totalOf([opened, opened], inboxTexts.en, formats.en), '2 bytes')
    assert.equal(
      totalOf([opened, { ...unread, fault: { reason: 'wrong_key', message: 'x' } }], inboxTexts.en, formats.en),
      '3 kB',
    )
  })

  it('is called approximate while the size of one is not read', () => {
    assert.equal(totalOf([opened, unread], inboxTexts.en, formats.en), 'about 3 kB')
    assert.equal(totalOf([opened, unread], inboxTexts.de, formats.de), 'etwa 3 kB')
  })
})
