import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readConfig } from './config.ts'
import type { Environment } from './sources.ts'
import { newServerWarnings, startWarnings } from './startWarnings.ts'

/** The settings that the warnings at the start name. */
function namedBy(environment: Environment): readonly string[] {
  const config = readConfig(environment)
  if ('faults' in config) throw new Error(config.faults.join('; '))
  return startWarnings(config).flatMap((warning) =>
    ['QUOTA_HARD_BYTES', 'TRUST_PROXY'].filter((name) => warning.includes(name)),
  )
}

const PUBLIC_URL = 'https://keep.example'

describe('the warnings at the start', () => {
  it('name what is not set on a server that strangers can reach', () => {
    assert.deepEqual(namedBy({ PUBLIC_URL }), ['QUOTA_HARD_BYTES', 'TRUST_PROXY'])
    assert.deepEqual(namedBy({ PUBLIC_URL, QUOTA_HARD_BYTES: '1' }), ['TRUST_PROXY'])
    assert.deepEqual(namedBy({ PUBLIC_URL, TRUST_PROXY: '127.0.0.1' }), ['QUOTA_HARD_BYTES'])
    assert.deepEqual(namedBy({ PUBLIC_URL, TRUST_PROXY: '127.0.0.1', QUOTA_HARD_BYTES: '1' }), [])
  })

  it('say that everyone may register', () => {
    const config = readConfig({ PUBLIC_URL, REGISTRATION: 'open' })
    assert.ok(
      !('faults' in config) && startWarnings(config).some((warning) => warning.includes('Everyone may register')),
    )
  })

  it('say where an address has no account, and until the settings say that it has some', () => {
    const said = (environment: Environment, hasAccounts: boolean) => {
      const config = readConfig(environment)
      return 'faults' in config ? config.faults : newServerWarnings(config, { hasAccounts })
    }
    assert.match(
      said({ PUBLIC_URL }, false).join(),
      /no account\. If https:\/\/keep\.example had accounts before, stop .* read that their session is over or that the password is wrong/,
    )
    assert.match(said({ PUBLIC_URL }, true).join(), /^FIRST_START=refused is not set/)
    assert.deepEqual(said({ PUBLIC_URL, FIRST_START: 'refused' }, true), [])
    for (const hasAccounts of [false, true]) assert.deepEqual(said({}, hasAccounts), [])
  })

  it('do not appear on loopback', () => {
    assert.deepEqual(namedBy({}), [])
    assert.deepEqual(namedBy({ PUBLIC_URL: 'http://localhost:8080' }), [])
  })
})
