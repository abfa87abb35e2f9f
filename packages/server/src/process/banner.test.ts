import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readConfig } from '../config/config.ts'
import { banner } from './banner.ts'

/** The line of the banner that begins so. */
function lineIn(environment: Readonly<Record<string, string>>, hasAccounts: boolean, begin: string): string {
  const config = readConfig(environment)
  assert.ok(!('faults' in config))
  const given = { environment, origins: {}, file: undefined }
  const lines = banner({ config, given, port: 8480, hasPages: true, hasAccounts, invite: undefined, warnings: [] })
  return lines.find((line) => line.startsWith(begin)) ?? assert.fail()
}

const nextIn = (environment: Readonly<Record<string, string>>, hasAccounts: boolean): string =>
  lineIn(environment, hasAccounts, 'Next: ')

describe('the banner of a start', () => {
  it('says at a loopback address that links open on this machine only, and where to read on', () => {
    for (const environment of [{}, { PUBLIC_URL: 'http://localhost:8480' }])
      assert.match(nextIn(environment, false), /make a link\. It opens on this machine only: docs\/moving\.md /)
    assert.doesNotMatch(nextIn({ PUBLIC_URL: 'https://keep.example' }, false), /this machine|moving/)
  })

  it('says to register only while there is no account', () => {
    for (const environment of [{}, { PUBLIC_URL: 'https://keep.example' }]) {
      assert.match(nextIn(environment, false), /browser, register, and make a link/)
      assert.match(nextIn(environment, true), /browser, sign in, and make a link/)
    }
  })

  it('says who may register, also where a proxy sends requests to a server of this machine', () => {
    const said = (environment: Readonly<Record<string, string>>) => lineIn(environment, false, '  registration ')
    const PUBLIC_URL = 'https://localhost:8443'
    const TRUST_PROXY = '127.0.0.1'
    assert.match(said({}), / open$/)
    assert.match(
      said({ PUBLIC_URL, TRUST_PROXY }),
      / open on this machine, by invite through the proxy: .*account invite/,
    )
    assert.match(said({ PUBLIC_URL, TRUST_PROXY, REGISTRATION: 'open' }), / open$/)
    assert.match(said({ PUBLIC_URL, TRUST_PROXY, REGISTRATION: 'invite' }), / invite: .*account invite/)
  })
})
