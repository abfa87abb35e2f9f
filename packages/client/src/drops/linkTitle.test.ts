import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fromHex, toHex } from '@blindkeep/protocol/bytes'
import vectors from '../../../../vectors/link-titles.json' with { type: 'json' }
import { linkTitleKey } from '../seal/derive.ts'
import { SealError } from '../seal/sealError.ts'
import { openGivenTitle, openLinkTitle, sealLinkTitle } from './linkTitle.ts'
import type { Question } from './questions.ts'

const [first] = vectors.valid
assert.ok(first)
const NONE = { title: undefined, message: undefined, from: undefined, questions: undefined, fileKinds: undefined }
const sealOf = (vector: typeof first) => ({
  linkSecret: fromHex(vector.link_secret),
  opaqueId: fromHex(vector.opaque_id),
  salt: fromHex(vector.salt),
})

describe('the title of a link', () => {
  it('has vectors of every kind', () => {
    for (const list of Object.values(vectors)) assert.ok(list.length > 0)
  })

  for (const vector of vectors.valid)
    it(`matches the vector in both directions: ${vector.name}`, async () => {
      const seal = sealOf(vector)
      const { title, message, from } = vector
      assert.equal(toHex(linkTitleKey(seal.linkSecret, seal.opaqueId)), vector.key)
      assert.equal(toHex(await sealLinkTitle(seal, { title, message, from })), vector.sealed)
      assert.deepEqual(await openLinkTitle(seal, fromHex(vector.sealed)), { ...NONE, title, message, from })
      assert.ok(vector.sealed.length / 2 <= 4096, 'the server takes no more')
    })

  for (const { name, reason, sealed } of vectors.invalid)
    it(`is refused: ${name}`, async () => {
      const isRefused = (error: unknown) => error instanceof SealError && error.reason === reason
      await assert.rejects(openLinkTitle(sealOf(first), fromHex(sealed)), isRefused)
      const opened = await openGivenTitle(() => sealOf(first), Buffer.from(sealed, 'hex').toString('base64'))
      assert.deepEqual({ ...opened, fault: typeof opened.fault }, { ...NONE, fault: 'string' })
    })

  for (const { name, given, shown } of vectors.lines)
    it(`is one line of text: ${name}`, async () => {
      const seal = sealOf(first)
      const sealed = await sealLinkTitle(seal, { title: 'x', message: given })
      assert.equal((await openLinkTitle(seal, sealed)).message ?? null, shown)
    })

  it('has questions and kinds of files, with which the longest has 7250 bytes', async () => {
    const seal = sealOf(first)
    const choices = Array.from({ length: 20 }, (_, index) => `${index}`.padEnd(100, 'x'))
    const questions = Array.from({ length: 9 }, (_, index): Question => {
      const asked = { label: `${index}`.repeat(180), required: true }
      return index === 0 ? { ...asked, kind: 'choice', choices } : { ...asked, kind: 'text', most: 500 }
    })
    const fileKinds = Array.from({ length: 100 }, (_, index) => `${index}`.padStart(4, '0'))
    const longest = { title: 'é'.repeat(300), message: 'é'.repeat(750), from: 'é'.repeat(150), questions, fileKinds }
    const sealed = await sealLinkTitle(seal, longest)
    assert.equal(sealed.length, 7250)
    assert.deepEqual(await openLinkTitle(seal, sealed), longest)
    await assert.rejects(sealLinkTitle(seal, { questions: [...questions, ...questions.slice(0, 1)] }), RangeError)
    await assert.rejects(sealLinkTitle(seal, { fileKinds: ['tar.gz'] }), RangeError)
  })

  it('has no texts if both are empty, and is not sealed if one is too long', async () => {
    const seal = sealOf(first)
    const none = await sealLinkTitle(seal, { title: ' \n', message: '\u200E' })
    assert.deepEqual(await openLinkTitle(seal, none), NONE)
    await assert.rejects(sealLinkTitle(seal, { title: 'x'.repeat(601) }), RangeError)
    await assert.rejects(sealLinkTitle(seal, { message: 'é'.repeat(751) }), RangeError)
    await assert.rejects(sealLinkTitle(seal, { from: 'é'.repeat(151) }), RangeError)
  })
})
