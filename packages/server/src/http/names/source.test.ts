import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { describe, it } from 'node:test'
import { createProxyHint, createSenderOf, isForwarded, type SenderOf } from './source.ts'

/** A request of this peer. */
function from(remoteAddress: string, forwardedFor?: string): Parameters<SenderOf>[0] {
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }
  return { headers, socket: { remoteAddress } as IncomingMessage['socket'] }
}

const direct = createSenderOf([])
const sourceOf = (address: string) => direct(from(address)).source

const PROXY = '10.0.0.1'
const behind = createSenderOf([PROXY, '10.0.1.0/24', 'fd00::/8', '::ffff:10.0.2.0/120'])
const namedBy = (forwardedFor: string | undefined, peer = PROXY) => behind(from(peer, forwardedFor)).source

describe('the source of a request', () => {
  it('is an IPv4 address, in any form that a socket gives', () => {
    assert.equal(sourceOf('203.0.113.7'), '203.0.113.7')
    assert.equal(sourceOf('::ffff:203.0.113.7'), '203.0.113.7')
    assert.equal(sourceOf('::FFFF:203.0.113.7'), '203.0.113.7')
    assert.equal(sourceOf('::ffff:cb00:7107'), '203.0.113.7')
    assert.equal(sourceOf('0:0:0:0:0:ffff:cb00:7107'), '203.0.113.7')
  })

  it('is the /64 of an IPv6 address, one for all its spellings', () => {
    const spellings = [
      '2001:db8:0:1::1',
      '2001:0db8:0000:0001:ffff:ffff:ffff:ffff',
      '2001:DB8:0:1:0:0:0:2',
      '2001:db8:0:1::',
      '2001:db8::1:0:0:0:9',
      '2001:db8:0:1::1%eth0',
      '2001:db8:0:1::203.0.113.7',
      '2001:db8::1:0:0:203.0.113.7',
    ]
    for (const spelling of spellings) assert.equal(sourceOf(spelling), '2001:db8:0:1::/64', spelling)
    assert.notEqual(sourceOf('2001:db8:0:2::1'), sourceOf('2001:db8:0:1::1'))
    assert.equal(sourceOf('2001::'), '2001:0:0:0::/64')
  })

  it('is undefined for a loopback or private peer, which may be a proxy for many', () => {
    const shared = [
      '127.0.0.1',
      '127.8.9.10',
      '::1',
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
      '10.1.2.3',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.1.1',
      '169.254.1.1',
      'fc00::1',
      'fdff::1',
      'fe80::1',
      'fe80::1%eth0',
    ]
    for (const address of shared) assert.equal(sourceOf(address), undefined, address)
    for (const address of ['172.32.0.1', '11.0.0.1', '192.169.0.1', 'fe00::1', '128.0.0.1'])
      assert.notEqual(sourceOf(address), undefined, address)
    // Also beside a proxy that is trusted: this one is not.
    assert.equal(namedBy('203.0.113.7', '192.168.1.1'), undefined)
    assert.equal(namedBy('203.0.113.7', '198.51.100.1'), '198.51.100.1')
  })
})

describe('the source that a trusted proxy names', () => {
  it('is one for all ports and spellings of an address', () => {
    const spellings = {
      '203.0.113.7': ['203.0.113.7', '203.0.113.7:1', '203.0.113.7:65535', '::ffff:203.0.113.7', '::ffff:cb00:7107'],
      '2001:db8:0:1::/64': [
        '2001:db8:0:1::1',
        '[2001:db8:0:1::2]',
        '[2001:db8:0:1::3]:1234',
        '[2001:DB8:0:1::4%eth0]:1',
        '2001:db8:0:1::5%25eth0',
      ],
    }
    for (const [source, texts] of Object.entries(spellings))
      for (const text of [...texts, ...texts.map((each) => ` ${each} `)]) assert.equal(namedBy(text), source, text)
    assert.equal(namedBy('[::ffff:203.0.113.7]:80'), '203.0.113.7')
  })

  it('may be private', () => {
    assert.equal(namedBy('192.168.1.1'), '192.168.1.1')
    assert.equal(namedBy('fe80::1'), 'fe80:0:0:0::/64')
  })

  it('is the last address that is not a trusted proxy’s, whatever the client wrote before it', () => {
    assert.equal(namedBy('1.1.1.1, 203.0.113.7'), '203.0.113.7')
    assert.equal(namedBy('nonsense, 203.0.113.7:5, 10.0.1.9:80, [fd00::1]:443, ::ffff:10.0.2.200'), '203.0.113.7')
    assert.equal(namedBy('203.0.113.7', '::ffff:10.0.0.1'), '203.0.113.7')
    // A client in the proxies' own network.
    assert.equal(namedBy('10.0.1.9, 10.0.1.10'), '10.0.1.9')
  })

  it('is undefined if the proxy names none, or something that is not an address', () => {
    for (const text of [
      undefined,
      '',
      ',',
      'unknown',
      '_hidden:80',
      '203.0.113.7:',
      '203.0.113.7:x',
      '203.0.113.7:123456',
      '203.0.113.7:80:80',
      '203.0.113',
      '203.0.113.007',
      '[203.0.113.7]:80',
      '[2001:db8::1',
      '2001:db8::1]',
      '[2001:db8::1]x',
      '[[2001:db8::1]]',
      '"203.0.113.7"',
      '1.1.1.1,',
      '1.1.1.1, unknown',
      '1.1.1.1, unknown, 10.0.1.9',
      `203.0.113.7${' '.repeat(10)}7`,
      ':'.repeat(10_000),
    ])
      assert.equal(namedBy(text), undefined, text)
  })

  it('counts only if the peer is a trusted proxy', () => {
    assert.equal(behind(from(PROXY)).isTrustedProxy, true)
    assert.equal(behind(from('10.0.1.255', '1.1.1.1')).isTrustedProxy, true)
    assert.equal(behind(from('10.0.3.1', '1.1.1.1')).isTrustedProxy, false)
    assert.equal(direct(from('127.0.0.1', '1.1.1.1')).isTrustedProxy, false)
  })
})

describe('the address of a request, for the log', () => {
  it('is whole where its source is known, and unknown otherwise', () => {
    assert.equal(direct(from('203.0.113.7')).address, '203.0.113.7')
    assert.equal(direct(from('2001:db8::1')).address, '2001:db8:0:0:0:0:0:1')
    assert.equal(behind(from(PROXY, 'forged, 203.0.113.8')).address, '203.0.113.8')
    for (const hidden of [direct(from('127.0.0.1', '203.0.113.7')), direct(from('10.1.2.3')), behind(from(PROXY))])
      assert.equal(hidden.address, undefined)
  })
})

describe('a proxy that no setting names', () => {
  it('is said once, with its address, and a named one never', () => {
    const said: unknown[] = []
    const log = { warn: (_event: string, facts: unknown) => void said.push(facts) }
    const request = from('172.16.0.9', '203.0.113.7') as IncomingMessage
    const hint = createProxyHint(behind, log)
    hint(from(PROXY, '203.0.113.7') as IncomingMessage)
    hint(from('172.16.0.9') as IncomingMessage)
    assert.deepEqual(said, [])
    hint(request)
    hint(request)
    assert.deepEqual(said, [{ proxy: '172.16.0.9' }])
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
