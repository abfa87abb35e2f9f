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
    'that is right passes from a source without failures after wrong ones from elsewhere have used up the link’s hundred',
    inWorld(async (world) => {
      const { judge } = await newGate(world)
      const answers: string[] = []
      for (let count = 0; count < 200; count += 1) answers.push(await judge(wrong, `source ${count % 20}`))
      // For each source the first, and a hundred others.
      assert.equal(answers.filter((answer) => answer === 'passphrase_wrong').length, 120)
      for (let count = 0; count < 50; count += 1) assert.equal(await judge(right, 'the guest'), 'right')
      // One mistake is allowed; then the guest has to wait, because the server cannot distinguish it from a guesser.
      assert.equal(await judge(wrong, 'another guest'), 'passphrase_wrong')
      assert.equal(await judge(right, 'another guest'), 'link_limited')
      world.clock.advance(900)
      assert.equal(await judge(right, 'another guest'), 'right')
    }),
  )

  it(
    'passes from a guest whose proof was right before, however many networks guess',
    inWorld(async (world) => {
      const { judge } = await newGate(world)
      assert.equal(await judge(right, '203.0.113.1'), 'right')
      const answers: string[] = []
      for (let count = 0; count < 2400; count += 1) answers.push(await judge(wrong, `source ${count % 1200}`))
      // The bound for any number of networks: a thousand first guesses and a hundred others in 15 minutes.
      assert.equal(answers.filter((answer) => answer === 'passphrase_wrong').length, 1100)
      assert.equal(await judge(right, '203.0.113.2'), 'link_limited')
      assert.equal(await judge(right, '203.0.113.1'), 'right')
      assert.equal(await (await newGate(world)).judge(right, '203.0.113.2'), 'right')
      // Its own ten hold nevertheless.
      for (let count = 0; count < 10; count += 1) assert.equal(await judge(wrong, '203.0.113.1'), 'passphrase_wrong')
      assert.equal(await judge(right, '203.0.113.1'), 'link_limited')
    }),
  )

  it(
    'has one first guess for all networks of an IPv6 /48',
    inWorld(async (world) => {
      const { judge } = await newGate(world)
      for (let count = 0; count < 1000; count += 1)
        await judge(wrong, `2001:db8:7:${Math.floor(count / 10).toString(16)}::/64`)
      assert.equal(await judge(right, '2001:db8:7:ffff::/64'), 'link_limited')
      assert.equal(await judge(right, '2001:db8:8:ffff::/64'), 'right')
    }),
  )

  it(
    'is judged no more often when 64 arrive at once',
    inWorld(async (world) => {
      const { judge } = await newGate(world)
      const answers = await Promise.all(Array.from({ length: 64 }, () => judge(wrong, 'a')))
      assert.equal(answers.filter((answer) => answer === 'passphrase_wrong').length, 10)
      // The first of them is not one of the link's hundred, and a limited attempt counts nowhere: 91 are left.
      const others = await Promise.all(Array.from({ length: 240 }, (_, at) => judge(wrong, `b${at % 120}`)))
      assert.equal(others.filter((answer) => answer === 'passphrase_wrong').length, 120 + 91)
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
