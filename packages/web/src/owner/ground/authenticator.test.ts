import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isIpAddress } from './authenticator.ts'

describe('isIpAddress', () => {
  it('knows the hosts for which browsers have no passkeys, in the form of location.hostname', () => {
    for (const hostname of ['127.0.0.1', '192.0.2.7', '[::1]', '[2001:db8::7]'])
      assert.ok(isIpAddress(hostname), hostname)
    for (const hostname of ['localhost', 'keep.example.org', '1.example', '127.0.0.1.example.org', 'x127.0.0.1'])
      assert.ok(!isIpAddress(hostname), hostname)
  })
})
