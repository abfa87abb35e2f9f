import assert from 'node:assert/strict'
import { createPublicKey, verify } from 'node:crypto'
import { describe, it } from 'node:test'
import { sha256 } from '@noble/hashes/sha2.js'
import vectors from '../../../vectors/proofs.json' with { type: 'json' }
import { fromBase64, toHex } from './bytes.ts'
import { operations } from './operations.ts'
import { proofMessage } from './proof.ts'

const request = {
  operation: { method: 'POST', path: '/v1/auth/password' },
  serverId: 'https://keep.example',
  nonce: 'AAEC',
  members: { sign_in_key: 'AA==', kdf_version: 1, salt: 'BB==' },
}

describe('the message of a proof', () => {
  it('is label, operation, server, nonce and the hash of the members in the order of their names', () => {
    const members = 'kdf_version\0\0\0\0\x011salt\0\0\0\0\x04BB==sign_in_key\0\0\0\0\x04AA=='
    const texts = 'service/proof/1\0POST /v1/auth/password\0https://keep.example\0AAEC\0'
    const expected = Buffer.concat([Buffer.from(texts, 'latin1'), sha256(Buffer.from(members, 'latin1'))])
    assert.equal(toHex(proofMessage(request)), expected.toString('hex'))
  })

  it('does not depend on the order of the members, the proof, or members without a value', () => {
    const members = { salt: 'BB==', proof: { key: 'x' }, code: null, kdf_version: 1, sign_in_key: 'AA==' }
    assert.deepEqual(proofMessage({ ...request, members }), proofMessage(request))
  })

  const others = {
    'another operation': { operation: { method: 'POST', path: '/v1/auth/login' } },
    'another method': { operation: { method: 'DELETE', path: '/v1/auth/password' } },
    'another server': { serverId: 'https://keep.example:8443' },
    'another nonce': { nonce: 'AAED' },
    'another value': { members: { ...request.members, salt: 'BC==' } },
    'a member less': { members: { sign_in_key: 'AA==', kdf_version: 1 } },
    'another name': { members: { sign_in_key: 'AA==', kdf_version: 1, salu: 'BB==' } },
  }
  for (const [what, other] of Object.entries(others)) {
    it(`is another one for ${what}`, () => {
      assert.notDeepEqual(proofMessage({ ...request, ...other }), proofMessage(request))
    })
  }

  it('is not made of members that are lists or objects', () => {
    assert.throws(() => proofMessage({ ...request, members: { list: ['a'] } }), TypeError)
  })
})

type Vector = Omit<(typeof vectors.invalid)[number], 'members'> & { readonly members: object }

const messageOf = ({ method, path, server_id: serverId, members, proof: { nonce } }: Vector) =>
  proofMessage({ operation: { method, path }, serverId, nonce, members })

function isSigned(vector: Vector): boolean {
  const { key, signature } = vector.proof
  const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), fromBase64(key)])
  const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' })
  return verify(undefined, messageOf(vector), publicKey, fromBase64(signature))
}

describe('the vectors of proofs', () => {
  for (const vector of vectors.valid)
    it(`have the message and a signature of it: ${vector.name}`, () => {
      assert.equal(toHex(messageOf(vector)), vector.message)
      assert.ok(isSigned(vector))
    })

  it('have every operation that proves', () => {
    const proving = Object.values(operations).filter((operation) => 'proves' in operation)
    const rows = (list: readonly { readonly method: string; readonly path: string }[]) =>
      [...new Set(list.map(({ method, path }) => `${method} ${path}`))].sort()
    assert.deepEqual(rows(vectors.valid), rows(proving))
  })

  it('have no signature for anything else', () => {
    assert.ok(vectors.invalid.length >= 29)
    for (const vector of vectors.invalid) assert.equal(isSigned(vector), false, vector.name)
  })
})
