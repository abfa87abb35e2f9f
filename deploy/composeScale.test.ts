import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { DCLinter } from 'dclint'
import { parse } from 'yaml'
import { readConfig } from '../packages/server/src/config/config.ts'
import { SETTINGS } from '../packages/server/src/config/settings.ts'
import { startWarnings } from '../packages/server/src/config/startWarnings.ts'

const PATH = fileURLToPath(new URL('../compose.scale.yaml', import.meta.url))

interface Compose {
  readonly services: Readonly<Record<string, { readonly environment?: Readonly<Record<string, string>> }>>
  readonly networks: { readonly inner: { readonly ipam: { readonly config: readonly { readonly subnet: string }[] } } }
}

/** Named in the file for the library that speaks to the object store. */
const OTHERS = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']

describe('compose.scale.yaml', () => {
  const compose: Compose = parse(readFileSync(PATH, 'utf8'), { merge: true })
  const nodes = Object.entries(compose.services).filter(([name]) => name.startsWith('node-'))

  it('fits the schema of compose files', () => {
    const [result] = new DCLinter({ rules: {}, quiet: false, debug: false, exclude: [] }).lintFiles([PATH], false)
    const messages: readonly { readonly type: string; readonly message: string }[] = result?.messages ?? []
    assert.deepEqual(
      messages.filter(({ type }) => type === 'error'),
      [],
    )
  })

  it('starts nodes with settings that the server knows and does not warn about', () => {
    assert.equal(nodes.length, 2)
    const known = [...Object.values(SETTINGS).map(({ name }) => name), ...OTHERS]
    for (const [name, { environment = {} }] of nodes) {
      assert.deepEqual(
        Object.keys(environment).filter((variable) => !known.includes(variable)),
        [],
        name,
      )
      const config = readConfig(environment)
      assert.deepEqual('faults' in config ? config.faults : startWarnings(config), [], name)
    }
  })

  it('lets the nodes trust the network of the proxy, and nothing else', () => {
    const subnets = compose.networks.inner.ipam.config.map(({ subnet }) => subnet)
    for (const [name, { environment }] of nodes) assert.deepEqual([environment?.TRUST_PROXY], subnets, name)
  })
})
