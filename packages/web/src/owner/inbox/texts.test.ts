import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { InboxItem } from '@blindkeep/client/owner'
import { parseDropId, parseOpaqueId } from '@blindkeep/protocol/ids'
import { inboxText, nameOf } from './texts.ts'

function itemNamed(name: string): InboxItem {
  const dropId = parseDropId('00000000-0000-4000-8000-000000000001')
  const opaqueId = parseOpaqueId('0'.repeat(32))
  assert.ok(dropId && opaqueId)
  const file = { name, type: undefined, note: undefined, sender: undefined, modifiedAt: undefined, size: 1 }
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
    assert.equal(nameOf(itemNamed(' Grüße 👩‍🚀.pdf '), 'en'), 'Grüße 👩‍🚀.pdf')
    assert.equal(nameOf(itemNamed('a\u202efdp.exe'), 'en'), 'afdp.exe')
  })

  it('is replaced by a text when it has no visible character', () => {
    for (const name of ['', '  ', '\u200b\u2060', '\u3164\u00ad', '\0\n', '\u202e'])
      assert.equal(nameOf(itemNamed(name), 'en'), inboxText('en').unnamed, JSON.stringify(name))
  })
})
