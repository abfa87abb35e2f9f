import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { toBase64 } from '@blindkeep/protocol/bytes'
import { operations } from '@blindkeep/protocol/operations'
import { proofMessage } from '@blindkeep/protocol/proof'
import { publicBytes, signingKey, signMessage } from '../../ground/signatures.ts'
import { reasonOf } from '../../testing/secondFactor.ts'
import { keyHash } from '../../testing/signInKeys.ts'
import { inWorld, type World } from '../../testing/world.ts'
import { createProofs } from './proofs.ts'

const members = { sign_in_key: toBase64(new Uint8Array(32)), kdf_version: 1 }
const operation = operations.changePassword

/** Of the test's own key, with the parts of `changes` in what is signed. */
function proofFor({ rules, settings }: World, changes: Partial<Parameters<typeof proofMessage>[0]> = {}) {
  const key = signingKey('ed25519', new Uint8Array(32).fill(7))
  const { nonce } = rules.proofs.newNonce()
  const message = proofMessage({ operation, serverId: settings.serverId, nonce, members, ...changes })
  const proof = { key: toBase64(publicBytes(key)), nonce, signature: toBase64(signMessage(key, message)) }
  return { ...members, proof }
}

const isGood = (answer: object) => reasonOf(answer) === 'in'

describe('a proof', () => {
  it(
    'proves its key for this operation, server, nonce and these members, and for nothing else',
    inWorld(async (world) => {
      const { provedKey } = world.rules.proofs
      const body = proofFor(world)
      const hash = keyHash(publicBytes(signingKey('ed25519', new Uint8Array(32).fill(7))))
      const answer = provedKey(operation, body)
      assert.ok('keyHash' in answer)
      assert.deepEqual(new Uint8Array(answer.keyHash), hash)
      for (const changes of [
        { serverId: 'https://other.example' },
        { nonce: world.rules.proofs.newNonce().nonce },
        { operation: operations.login },
        { members: { ...members, kdf_version: 2 } },
      ])
        assert.ok(!isGood(provedKey(operation, proofFor(world, changes))), JSON.stringify(changes))
      const key = toBase64(publicBytes(signingKey('ed25519', randomBytes(32))))
      assert.ok(!isGood(provedKey(operation, { ...body, proof: { ...body.proof, key } })))
    }),
  )

  it(
    'is good at another process of the server for five minutes, also while clocks differ, and not after one was set back',
    inWorld(async (world) => {
      const { clock, random, keys, settings } = world
      const other = createProofs({ clock, random, serverSecret: keys.serverSecret }, settings)
      const body = proofFor(world)
      const isStillGood = () => isGood(other.provedKey(operation, body))
      clock.advance(299)
      assert.ok(isStillGood())
      clock.advance(1)
      assert.ok(!isStillGood())
      clock.advance(-310)
      assert.ok(isStillGood())
      clock.advance(-1)
      assert.ok(!isStillGood())
    }),
  )

  it(
    'needs a nonce that this server made, unchanged',
    inWorld(async (world) => {
      const { rules, clock, random, settings } = world
      const foreign = createProofs({ clock, random, serverSecret: randomBytes(32) }, settings).newNonce().nonce
      const own = Buffer.from(rules.proofs.newNonce().nonce, 'base64')
      const later = Buffer.from(own)
      later.writeUInt8(later.readUInt8(7) ^ 1, 7)
      const wrong = [later, own.subarray(0, 55), Buffer.concat([own, own]), Buffer.alloc(0), Buffer.alloc(56)]
      for (const nonce of [foreign, ...wrong.map((bytes) => bytes.toString('base64')), 'no base64'])
        assert.ok(!isGood(rules.proofs.provedKey(operation, { proof: { ...proofFor(world).proof, nonce } })), nonce)
    }),
  )

  it(
    'is not one of a key of small order, under which a signature fits many messages',
    inWorld(async (world) => {
      const { provedKey } = world.rules.proofs
      const { proof } = proofFor(world)
      // The neutral point, in each spelling: with R the same and S = 0 the equation holds for every message.
      for (const key of ['01', `ee${'ff'.repeat(30)}7f`, `01${'00'.repeat(30)}80`, `ee${'ff'.repeat(31)}`]) {
        const weak = Buffer.from(key.padEnd(64, '0'), 'hex')
        const signature = Buffer.concat([Buffer.from('01'.padEnd(64, '0'), 'hex'), Buffer.alloc(32)])
        const forged = { ...proof, key: weak.toString('base64'), signature: signature.toString('base64') }
        assert.ok(!isGood(provedKey(operation, { ...members, proof: forged })), key)
      }
    }),
  )
})
