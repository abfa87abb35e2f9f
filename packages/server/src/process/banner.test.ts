import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readConfig } from '../config/config.ts'
import { banner } from './banner.ts'

/** What the banner says to do next. */
function nextIn(environment: Readonly<Record<string, string>>, hasAccounts: boolean): string {
  const config = readConfig(environment)
  assert.ok(!('faults' in config))
  const given = { environment, origins: {}, file: undefined }
  const lines = banner({ config, given, port: 8480, hasPages: true, hasAccounts, invite: undefined, warnings: [] })
  return lines.find((line) => line.startsWith('Next: ')) ?? assert.fail()
}

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
})
