/** The manifests as kustomize builds them, against the schemas of the API of Kubernetes, in which no member is free. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parseAllDocuments } from 'yaml'

const FOLDER = fileURLToPath(new URL('kubernetes', import.meta.url))
/** Of deploy/requirements.txt, so that both are the same everywhere. The second brings the schemas. */
const [KUBECTL, VALIDATE] = [pinned('kubectl'), pinned('kubernetes-validate')]
/** The oldest that gets corrections, and the newest that has schemas. */
const VERSIONS = ['1.35', '1.37']

describe('the manifests for Kubernetes', () => {
  it('are built by kustomize and fit the schemas of the API, which refuse an unknown member', (t) => {
    const missing = [KUBECTL, VALIDATE].find((program) => !existsSync(program))
    if (missing !== undefined) return t.skip(`${basename(missing)} is not in deploy/venv: see .ci/run`)
    const directory = withSecrets(t)
    const { status, stdout: built, stderr } = run(KUBECTL, ['kustomize', directory])
    assert.equal(status, 0, stderr)
    const kinds = parseAllDocuments(built).map((document) => document.get('kind'))
    assert.deepEqual(kinds.toSorted(), [
      'ConfigMap',
      'Deployment',
      'Namespace',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Secret',
      'Secret',
      'Service',
    ])
    assert.deepEqual(validated(directory, built), { status: 0, passed: kinds.length * VERSIONS.length })
    const mistaken = built.replace('readOnlyRootFilesystem', 'readOnlyRootFileSystem')
    assert.notEqual(mistaken, built)
    assert.deepEqual(validated(directory, mistaken), { status: 1, passed: (kinds.length - 1) * VERSIONS.length })
  })
})

/** A copy of the folder, with the secrets that its head has people make. */
function withSecrets(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'blindkeep-kubernetes-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  const secrets = join(directory, 'secrets')
  cpSync(FOLDER, directory, { recursive: true, filter: (path) => path !== join(FOLDER, 'secrets') })
  mkdirSync(secrets)
  writeFileSync(join(secrets, 'secrets.env'), 'DATABASE_URL=one\nAWS_ACCESS_KEY_ID=two\nAWS_SECRET_ACCESS_KEY=three\n')
  writeFileSync(join(secrets, 'master.secret'), 'four\n')
  return directory
}

function validated(directory: string, manifests: string) {
  const file = join(directory, 'built.yaml')
  writeFileSync(file, manifests)
  const versions = VERSIONS.flatMap((version) => ['--kubernetes-version', version])
  const { status, stdout, stderr } = run(VALIDATE, ['--strict', ...versions, file])
  return { status, passed: [...`${stdout}${stderr}`.matchAll(/ passed for resource /g)].length }
}

function pinned(program: string): string {
  return fileURLToPath(new URL(`venv/bin/${program}`, import.meta.url))
}

function run(program: string, args: readonly string[]) {
  return spawnSync(program, args, { encoding: 'utf8' })
}
