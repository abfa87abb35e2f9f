import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { NetworkError } from '@blindkeep/client/errors'
import { failureOf } from './failures.ts'

describe('the words of a failed connection', () => {
  const given = 'https://keep.example'
  const words = (code: string) => failureOf(new NetworkError('unreachable', code, { given })).message

  for (const [code, next] of [
    ['DEPTH_ZERO_SELF_SIGNED_CERT', /authority.*NODE_EXTRA_CA_CERTS/],
    ['SELF_SIGNED_CERT_IN_CHAIN', /authority.*NODE_EXTRA_CA_CERTS/],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /authority.*NODE_EXTRA_CA_CERTS/],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', /authority.*NODE_EXTRA_CA_CERTS/],
    ['CERT_HAS_EXPIRED', /has expired: its operator has to renew it/],
    ['CERT_NOT_YET_VALID', /not valid yet: set the clock/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', /for another host/],
  ] as const)
    it(`name what is wrong with a certificate: ${code}`, () => {
      assert.match(words(code), next)
      assert.doesNotMatch(words(code), /your network/)
    })

  it('are of the network otherwise', () => {
    for (const code of ['ECONNREFUSED', 'ENOTFOUND', 'ERR_SSL_WRONG_VERSION_NUMBER'])
      assert.match(words(code), /Check its address and your network/)
  })
})
