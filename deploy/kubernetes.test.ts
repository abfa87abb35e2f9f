/** The manifests for Kubernetes: the settings are those of compose.scale.yaml, and the pods may do nothing else. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { readMasterSecret } from '../packages/server/src/adapters/keyring/masterSecret.ts'
import { readConfig } from '../packages/server/src/config/config.ts'
import { startWarnings } from '../packages/server/src/config/startWarnings.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

interface Container {
  readonly name: string
  readonly image: string
  readonly command?: readonly string[]
  readonly securityContext: object
  readonly resources: { readonly requests: object; readonly limits: Readonly<Record<string, string>> }
  readonly readinessProbe?: { readonly httpGet: { readonly path: string } }
}

interface Pod {
  readonly automountServiceAccountToken: boolean
  readonly terminationGracePeriodSeconds: number
  readonly securityContext: object
  readonly initContainers: readonly [Container]
  readonly containers: readonly [Container]
}

const read = (file: string) => parse(readFileSync(join(ROOT, file), 'utf8'), { merge: true })
const manifest = (name: string) => read(`deploy/kubernetes/${name}.yaml`)

const composed: {
  readonly environment: Readonly<Record<string, string>>
  readonly stop_grace_period: string
  readonly healthcheck: { readonly test: readonly string[] }
} = read('compose.scale.yaml')['x-node']
const pod: Pod = manifest('nodes').spec.template.spec
const [node] = pod.containers
const [copying] = pod.initContainers

const settings = environmentOf(readFileSync(join(ROOT, 'deploy/kubernetes/settings.env'), 'utf8'))
/** As the head of kustomization.yaml has people write them. */
const SECRETS = {
  DATABASE_URL: 'postgresql://blindkeep:secret@db.example.org/blindkeep',
  AWS_ACCESS_KEY_ID: 'blindkeep',
  AWS_SECRET_ACCESS_KEY: 'secret',
}
/** Addresses, which are others in each place. */
const PLACES = ['PUBLIC_URL', 'TRUST_PROXY', 'BLOBS_URL']

describe('the manifests for Kubernetes', () => {
  it('have the settings of compose.scale.yaml, which the server knows and does not warn about', () => {
    const { environment } = composed
    assert.deepEqual(Object.keys({ ...settings, ...SECRETS }).sort(), Object.keys(environment).sort())
    const same = Object.keys(settings).filter((name) => !PLACES.includes(name))
    assert.deepEqual(
      same.map((name) => [name, settings[name]]),
      same.map((name) => [name, environment[name]]),
    )
    const config = readConfig({ ...settings, ...SECRETS })
    assert.deepEqual('faults' in config ? config.faults : startWarnings(config), [])
  })

  it('name every secret in their head, and have none', () => {
    const head = readFileSync(join(ROOT, 'deploy/kubernetes/kustomization.yaml'), 'utf8').split('\napiVersion')[0] ?? ''
    for (const name of Object.keys(SECRETS)) assert.match(head, new RegExp(`\\b${name}=…`))
    const ignored = (file: string) => readFileSync(join(ROOT, file), 'utf8')
    for (const file of ['.gitignore', '.dockerignore']) assert.match(ignored(file), /^deploy\/kubernetes\/secrets\/?$/m)
  })

  it('wait as long as compose.scale.yaml for the end of a node, and ask it the same', () => {
    assert.equal(`${pod.terminationGracePeriodSeconds}s`, composed.stop_grace_period)
    assert.ok(composed.healthcheck.test.at(-1)?.includes(node.readinessProbe?.httpGet.path ?? 'no probe'))
  })

  it('let no process be root, write to the image, gain a right or speak to the cluster', () => {
    assert.equal(pod.automountServiceAccountToken, false)
    const { runAsNonRoot, seccompProfile } = { ...pod.securityContext } as Record<string, unknown>
    assert.deepEqual([runAsNonRoot, seccompProfile], [true, { type: 'RuntimeDefault' }])
    for (const { name, securityContext, resources } of [copying, node]) {
      const expected = {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      }
      assert.deepEqual(securityContext, expected, name)
      assert.ok(resources.limits.memory !== undefined && 'memory' in resources.requests, name)
    }
  })

  it('name the version of each image', () => {
    const { images }: { readonly images: readonly { readonly name: string; readonly newTag: string }[] } =
      manifest('kustomization')
    for (const { image } of [copying, node]) {
      const tag = images.find(({ name }) => name === image)?.newTag ?? ''
      assert.match(tag, /^\d+\.\d+\.\d+$/, image)
    }
  })

  it('copy the master secret so that the server takes it, which does not take that of the volume', async (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'blindkeep-kubernetes-'))
    t.after(() => rmSync(directory, { recursive: true, force: true }))
    const [program = '', ...args] = (copying.command ?? []).map((word) => word.replace(/^(?=\/)/, directory))
    const [mounted = '', copy = ''] = args.slice(-2)
    assert.equal(copy, `${directory}${settings.MASTER_SECRET_FILE}`)
    for (const path of [mounted, copy]) mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(mounted, `${Buffer.alloc(32, 7).toString('base64')}\n`)
    // As a volume of a secret gives it to a group.
    chmodSync(mounted, 0o440)
    await assert.rejects(readMasterSecret({ path: mounted, createIfMissing: false }), /other users may read/)
    execFileSync(program, args)
    assert.deepEqual(await readMasterSecret({ path: copy, createIfMissing: false }), Buffer.alloc(32, 7))
  })
})

/** As kustomize reads it. */
function environmentOf(file: string): Readonly<Record<string, string>> {
  const lines = file.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
}
