import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fromHex, toHex } from '@blindkeep/protocol/bytes'
import vectors from '../../../../vectors/link-titles.json' with { type: 'json' }
import { linkTitleKey } from '../seal/derive.ts'
import { SealError } from '../seal/sealError.ts'
import { parseFileKinds } from './fileKinds.ts'
import { openGivenTitle, openLinkTitle, sealLinkTitle } from './linkTitle.ts'
import { parseQuestions, questionsText } from './questions.ts'

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
      const lists = { questions: parseQuestions(vector.questions), fileKinds: parseFileKinds(vector.file_kinds) }
      const words = { title, message, from, ...lists }
      assert.equal(toHex(await sealLinkTitle(seal, words)), vector.sealed)
      assert.deepEqual(await openLinkTitle(seal, fromHex(vector.sealed)), words)
      assert.ok(vector.sealed.length / 2 <= (vector.questions === undefined ? 4096 : 7250), 'the server takes no more')
    })

  for (const { name, title, sealed } of vectors.tolerated)
    it(`opens without what does not fit: ${name}`, async () => {
      assert.deepEqual(await openLinkTitle(sealOf(first), fromHex(sealed)), { ...NONE, title })
    })

  for (const { name, text, read } of vectors.questions)
    it(`has questions: ${name}`, () => {
      assert.deepEqual(JSON.parse(questionsText(parseQuestions(text) ?? [])), read)
    })
  for (const { name, text } of vectors.questions_passed_over)
    it(`has no questions: ${name}`, () => assert.equal(parseQuestions(text), undefined))

  for (const { name, text, read } of vectors.file_kinds)
    it(`has kinds of files: ${name}`, () => assert.deepEqual(parseFileKinds(text), read))
  for (const { name, text } of vectors.file_kinds_passed_over)
    it(`has no kinds of files: ${name}`, () => assert.equal(parseFileKinds(text), undefined))

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

  it('has no texts if both are empty, and is not sealed if one is too long', async () => {
    const seal = sealOf(first)
    const none = await sealLinkTitle(seal, { title: ' \n', message: '\u200E' })
    assert.deepEqual(await openLinkTitle(seal, none), NONE)
    await assert.rejects(sealLinkTitle(seal, { title: 'x'.repeat(601) }), RangeError)
    await assert.rejects(sealLinkTitle(seal, { message: 'é'.repeat(751) }), RangeError)
    await assert.rejects(sealLinkTitle(seal, { from: 'é'.repeat(151) }), RangeError)
    await assert.rejects(sealLinkTitle(seal, { questions: [] }), RangeError)
    await assert.rejects(sealLinkTitle(seal, { fileKinds: ['tar.gz'] }), RangeError)
  })
})
