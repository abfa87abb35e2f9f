import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toBase64 } from '@blindkeep/protocol/bytes'
import { bytes, linkRow, newLink } from '../../testing/guest.ts'
import { defined, inWorld, type World } from '../../testing/world.ts'
import { createJudgeProof } from './passphrases.ts'

describe('a passphrase proof', () => {
  const verifier = bytes(32)
  const right = toBase64(verifier)
  const wrong = toBase64(bytes(32))

  /** A link, and what a proof gets as an answer there. */
  async function newGate(world: World) {
    const link = await linkRow(world, await newLink(world, { passphraseVerifier: verifier }))
    const judgeProof = createJudgeProof(world.limiter, world.settings)
    const judge = async (proof: string | undefined, source?: string): Promise<string> =>
      (await judgeProof(link, { proof, source }))?.refused ?? 'right'
    return { link, judge }
  }

  it(
    'is required, and is wrong, right or malformed',
    inWorld(async (world) => {
      const { judge } = await newGate(world)
      assert.equal(await judge(undefined), 'passphrase_missing')
      assert.equal(await judge(wrong), 'passphrase_wrong')
      assert.equal(await judge(right), 'right')
      const malformed = ['', '!', 'AA', right.replace('=', ''), ` ${right}`, 'AB==', toBase64(bytes(4097))]
      for (const proof of malformed) assert.equal(await judge(proof), 'request_malformed', proof.slice(0, 20))
    }),
  )

  it(
    'is malformed where the link asks for no passphrase',
    inWorld(async (world) => {
      const link = await linkRow(world, await newLink(world))
      const judgeProof = createJudgeProof(world.limiter, world.settings)
      assert.equal((await judgeProof(link, { proof: right, source: undefined }))?.refused, 'declaration_malformed')
      assert.equal(await judgeProof(link, { proof: undefined, source: undefined }), undefined)
    }),
  )

  it(
    'is not stored in a form that can be sent as a proof',
    inWorld(async (world) => {
      const { link, judge } = await newGate(world)
      const stored = defined(link.verifierHash)
      assert.notDeepEqual(stored, verifier)
      assert.equal(await judge(toBase64(stored)), 'passphrase_wrong')
    }),
  )

  it(
    'may be wrong ten times per source and link, and right any number of times',
    inWorld(async (world) => {
      const { judge } = await newGate(world)
      for (let count = 0; count < 9; count += 1) assert.equal(await judge(wrong, 'a'), 'passphrase_wrong')
      for (let count = 0; count < 50; count += 1) assert.equal(await judge(right, 'a'), 'right')
      assert.equal(await judge(wrong, 'a'), 'passphrase_wrong')
      assert.equal(await judge(wrong, 'a'), 'link_limited')
      assert.equal(await judge(right, 'a'), 'link_limited')
      assert.equal(await judge(right, 'b'), 'right')
      assert.equal(await (await newGate(world)).judge(right, 'a'), 'right')
      world.clock.advance(900)
      assert.equal(await judge(right, 'a'), 'right')
    }),
  )

  it(
    'may be wrong a hundred times per link, from any number of sources',
    inWorld(async (world) => {
      const { judge } = await newGate(world)
      const answers: string[] = []
      for (let count = 0; count < 120; count += 1) answers.push(await judge(wrong, `source ${count}`))
      assert.equal(answers.filter((answer) => answer === 'passphrase_wrong').length, 100)
      assert.equal(await judge(right, 'another source'), 'link_limited')
    }),
  )

  it(
    'is judged no more often when 64 arrive at once',
    inWorld(async (world) => {
      const { judge } = await newGate(world)
      const answers = await Promise.all(Array.from({ length: 64 }, () => judge(wrong, 'a')))
      assert.equal(answers.filter((answer) => answer === 'passphrase_wrong').length, 10)
      // A limited attempt does not count for the link either: ninety are left.
      const others = await Promise.all(Array.from({ length: 120 }, (_, at) => judge(wrong, `b${at}`)))
      assert.equal(others.filter((answer) => answer === 'passphrase_wrong').length, 90)
    }),
  )

  it(
    'counts for the link only when the source is unknown',
    inWorld(async (world) => {
      const { judge } = await newGate(world)
      for (let count = 0; count < 100; count += 1) assert.equal(await judge(wrong), 'passphrase_wrong')
      assert.equal(await judge(right), 'link_limited')
    }),
  )
})
