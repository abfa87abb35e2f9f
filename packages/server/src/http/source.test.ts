import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isForwarded, sourceOf } from './source.ts'

describe('the source of a request', () => {
  it('is an IPv4 address, in any form that a socket gives', () => {
    assert.equal(sourceOf('203.0.113.7', false), '203.0.113.7')
    assert.equal(sourceOf('::ffff:203.0.113.7', false), '203.0.113.7')
    assert.equal(sourceOf('::FFFF:203.0.113.7', true), '203.0.113.7')
  })

  it('is the /64 of an IPv6 address, one for all its spellings', () => {
    const spellings = [
      '2001:db8:0:1::1',
      '2001:0db8:0000:0001:ffff:ffff:ffff:ffff',
      '2001:DB8:0:1:0:0:0:2',
      '2001:db8:0:1::',
      '2001:db8::1:0:0:0:9',
      '2001:db8:0:1::1%eth0',
    ]
    for (const spelling of spellings) assert.equal(sourceOf(spelling, false), '2001:db8:0:1::/64', spelling)
    assert.notEqual(sourceOf('2001:db8:0:2::1', false), sourceOf('2001:db8:0:1::1', false))
    assert.equal(sourceOf('2001::', false), '2001:0:0:0::/64')
  })

  it('is undefined for a loopback or private peer, which may be a proxy for many', () => {
    const shared = [
      '127.0.0.1',
      '127.8.9.10',
      '::1',
      '::ffff:127.0.0.1',
      '10.1.2.3',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.1.1',
      '169.254.1.1',
      'fc00::1',
      'fdff::1',
      'fe80::1',
    ]
    for (const address of shared) assert.equal(sourceOf(address, false), undefined, address)
    for (const address of ['172.32.0.1', '11.0.0.1', '192.169.0.1', 'fe00::1', '128.0.0.1'])
      assert.notEqual(sourceOf(address, false), undefined, address)
  })

  it('is the address that a trusted proxy named, also a private one', () => {
    assert.equal(sourceOf('192.168.1.1', true), '192.168.1.1')
    assert.equal(sourceOf('fe80::1', true), 'fe80:0:0:0::/64')
  })
})

describe('a forwarded request', () => {
  it('is a request with any proxy header', () => {
    assert.equal(isForwarded({}), false)
    assert.equal(isForwarded({ host: 'keep.example', 'x-request-id': '1' }), false)
    for (const name of ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via'])
      assert.equal(isForwarded({ [name]: '' }), true, name)
  })
})
