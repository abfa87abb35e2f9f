/** `compose.yaml`: its schema, its settings, and what it has in common with the Dockerfile and the Caddyfile. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { BlockList } from 'node:net'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { DCLinter } from 'dclint'
import { parse } from 'yaml'
import { readConfig } from '../packages/server/src/config/config.ts'
import { SETTINGS } from '../packages/server/src/config/settings.ts'
import { startWarnings } from '../packages/server/src/config/startWarnings.ts'

const PATH = fileURLToPath(new URL('compose.yaml', import.meta.url))
const DOCKERFILE = readFileSync(new URL('Dockerfile', import.meta.url), 'utf8')
const CADDYFILE = readFileSync(new URL('proxy/Caddyfile', import.meta.url), 'utf8')
const SCALE = readFileSync(new URL('../compose.scale.yaml', import.meta.url), 'utf8')
const DOMAIN = 'drop.example.org'

interface Service {
  readonly environment: Readonly<Record<string, string>>
  readonly volumes: readonly string[]
  readonly read_only: boolean
  readonly cap_drop: readonly string[]
  readonly healthcheck?: { readonly test: readonly string[] }
}
interface Compose {
  readonly services: {
    readonly server: Service
    readonly proxy: Service & { readonly networks: { readonly inner: { readonly ipv4_address: string } } }
  }
  readonly networks: {
    readonly inner: { readonly ipam: { readonly config: readonly { readonly ip_range: string }[] } }
  }
}

describe('compose.yaml', () => {
  const { services, networks }: Compose = parse(readFileSync(PATH, 'utf8').replaceAll(/\$\{DOMAIN:\?[^}]*\}/g, DOMAIN))
  const image = environmentOfImage()

  it('fits the schema of compose files', () => {
    // The ports of the proxy are for everyone.
    const rules = { 'no-unbound-port-interfaces': 0 } as const
    const [result] = new DCLinter({ rules, quiet: false, debug: false, exclude: [] }).lintFiles([PATH], false)
    const messages: readonly { readonly type: string; readonly message: string }[] = result?.messages ?? []
    assert.deepEqual(
      messages.filter(({ type }) => type === 'error'),
      [],
    )
  })

  it('starts a server with settings that it knows and does not warn about', () => {
    const environment = { ...image, ...services.server.environment }
    const known = Object.values(SETTINGS).map(({ name }): string => name)
    assert.deepEqual(
      Object.keys(environment).filter((name) => !known.includes(name)),
      [],
    )
    const config = readConfig(environment)
    assert.deepEqual('faults' in config ? config.faults : startWarnings(config), [])
    assert.equal(services.server.environment.PUBLIC_URL, `https://${DOMAIN}`)
  })

  it('lets the server trust the proxy, and nothing else', () => {
    assert.equal(services.server.environment.TRUST_PROXY, services.proxy.networks.inner.ipv4_address)
  })

  it('gives no other container the address of the proxy', () => {
    const [range] = networks.inner.ipam.config
    const [address = '', bits = ''] = range?.ip_range.split('/') ?? []
    const others = new BlockList()
    others.addSubnet(address, Number(bits))
    assert.equal(others.check(services.proxy.networks.inner.ipv4_address), false)
  })

  it('gives the Caddyfile its variables, and the server the directory of its image', () => {
    const variables = [...CADDYFILE.matchAll(/\{\$([A-Z]+):/g)].map(([, name]) => name)
    assert.deepEqual(Object.keys(services.proxy.environment), variables)
    assert.deepEqual(services.proxy.environment, { DOMAIN, SERVER: `server:${image.PORT}` })
    assert.ok(services.proxy.volumes.includes('./proxy/Caddyfile:/etc/caddy/Caddyfile:ro,z'))
    assert.deepEqual(services.server.volumes, [`data:${image.DATA_DIR}`])
    assert.match(DOCKERFILE, new RegExp(`^VOLUME ${image.DATA_DIR}$`, 'm'))
  })

  it('runs both without capabilities that they do not need, on roots that cannot be written', () => {
    for (const [name, { read_only, cap_drop }] of Object.entries(services))
      assert.deepEqual([read_only, cap_drop], [true, ['ALL']], name)
  })
})

describe('the health check', () => {
  it('is that of the image in both compose files, because Podman does not keep it in the image', () => {
    const [, check = ''] = /^HEALTHCHECK .*? CMD (.*)$/m.exec(DOCKERFILE) ?? []
    const { PORT } = environmentOfImage()
    const inImage: readonly string[] = JSON.parse(check)
    const expected = ['CMD', ...inImage.map((word) => word.replace(/\$\{process\.env\.PORT\}/, String(PORT)))]
    for (const text of [readFileSync(PATH, 'utf8'), SCALE]) {
      const { services }: Compose = parse(text, { merge: true })
      const checks = Object.entries(services).flatMap(([name, { healthcheck }]) =>
        /^(server|node-\d)$/.test(name) ? [healthcheck?.test.map((word) => word.replaceAll("'", '`'))] : [],
      )
      assert.ok(checks.length > 0)
      for (const check of checks) assert.deepEqual(check, expected)
    }
  })
})

function environmentOfImage(): Record<string, string> {
  const [, pairs = ''] = /^ENV (.*)$/m.exec(DOCKERFILE) ?? []
  return Object.fromEntries(pairs.split(' ').map((pair) => pair.split('=')))
}
