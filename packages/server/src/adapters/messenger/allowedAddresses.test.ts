import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createAllowedAddresses } from './allowedAddresses.ts'

const forbidden = [
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.8',
  '192.0.2.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.51.100.7',
  '203.0.113.9',
  '224.0.0.1',
  '239.255.255.250',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '::ffff:7f00:1',
  '64:ff9b::7f00:1',
  '64:ff9b::808:808',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  '2001:db8::1',
  '2002:7f00:1::',
  '3fff::1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fe80::1%eth0',
  '2606:4700::1111%eth0',
  'fec0::1',
  'ff02::1',
]
const open = [
  '8.8.8.8',
  '1.1.1.1',
  '172.15.0.1',
  '172.32.0.1',
  '100.63.0.1',
  '100.128.0.1',
  '2606:4700::1111',
  '2a00:1450::1',
]

describe('addresses to which the server sends', () => {
  it('are public ones', () => {
    const { isAllowed, isNamed } = createAllowedAddresses([])
    assert.deepEqual(forbidden.filter(isAllowed), [])
    assert.deepEqual(open.filter(isAllowed), open)
    assert.deepEqual([...open, ...forbidden].filter(isNamed), [])
  })

  it('are also those of the networks that the operator names, and never mapped ones or no addresses', () => {
    const { isAllowed, isNamed } = createAllowedAddresses(['127.0.0.0/8', '10.0.0.7', 'fd12:3456::/32', '::1'])
    const named = ['127.0.0.1', '10.0.0.7', 'fd12:3456::1', '::1']
    assert.deepEqual(named.filter(isAllowed), named)
    assert.deepEqual(named.filter(isNamed), named)
    const others = ['10.0.0.8', '::ffff:127.0.0.1', '::ffff:10.0.0.7', 'fd12:3457::1', 'localhost', '', '127.1']
    assert.deepEqual(others.filter(isAllowed), [])
    assert.deepEqual([isAllowed('8.8.8.8'), isNamed('8.8.8.8')], [true, false])
  })
})
