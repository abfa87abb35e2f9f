import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sha256 } from '@noble/hashes/sha2.js'
import { toHex } from './bytes.ts'
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
