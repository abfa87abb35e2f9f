/** What `npm run release` writes, in another copy of the tree: the bytes of the packages are those of this one. */
import assert from 'node:assert/strict'
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import { installPacked, type Packed } from '../testing/packed.ts'
import { projectFiles, ROOT } from './projectFiles.ts'

const SECONDS = 1_700_000_000

let packed: Packed
let copy: string
let out: string
before(async () => {
  packed = await installPacked()
  copy = copyOfTree()
  out = join(copy, 'out')
  // Another place, another day, another time zone and other rights of new files.
  const script = `umask 077; exec "${process.execPath}" --disable-warning=ExperimentalWarning tools/release.ts --dry-run --no-audit --out "${out}"`
  const env = { ...process.env, TZ: 'Pacific/Auckland', SOURCE_DATE_EPOCH: String(SECONDS) }
  await promisify(execFile)('sh', ['-c', script], { cwd: copy, env })
})
after(async () => {
  rmSync(copy, { recursive: true, force: true })
  await packed.remove()
})

describe('a release', () => {
  it('has the same packages, byte for byte, in another directory', () => {
    const archives = join(packed.directory, 'archives')
    const names = readdirSync(archives).sort()
    assert.deepEqual(
      readdirSync(out)
        .filter((name) => name.endsWith('.tgz'))
        .sort(),
      names,
    )
    assert.equal(names.length, 4)
    for (const name of names) assert.equal(sha256(join(out, name)), sha256(join(archives, name)), name)
  })

  it('has the list of its pages, for programs and beside them, and every page is as it says', () => {
    const [name = ''] = readdirSync(out).filter((each) => each.endsWith('.pages.json'))
    const text = readFileSync(join(out, name), 'utf8')
    const [, version = ''] = /^blindkeep-(.+)\.pages\.json$/.exec(name) ?? []
    const server = join(out, `blindkeep-server-${version}.tgz`)
    const inside = (archive: string, path: string) =>
      execFileSync('tar', ['-xOzf', archive, `package/dist/${path}`], { maxBuffer: 64 * 1024 * 1024 })
    assert.equal(inside(join(out, `blindkeep-${version}.tgz`), `lists/${version}.json`).toString(), text)
    assert.equal(inside(server, 'pages/pages.json').toString(), text)
    const { files }: Listed = JSON.parse(text)
    assert.ok(Object.keys(files).length > 30)
    for (const [path, [digest, length]] of Object.entries(files)) {
      const bytes = inside(server, `pages/${path}`)
      assert.deepEqual([createHash('sha256').update(bytes).digest('hex'), bytes.length], [digest, length], path)
    }
    const lines = text.split('\n').filter((line) => line.startsWith('"assets/'))
    assert.deepEqual(lines, lines.toSorted())
  })

  it('has checksums of all its files', () => {
    const lines = readFileSync(join(out, 'SHA256SUMS'), 'utf8').trimEnd().split('\n')
    const names = readdirSync(out)
      .filter((name) => name !== 'SHA256SUMS')
      .sort()
    assert.deepEqual(
      lines,
      names.map((name) => `${sha256(join(out, name))}  ${name}`),
    )
  })

  it('lists what is inside and nothing that only builds', () => {
    const [file = ''] = readdirSync(out).filter((name) => name.endsWith('.cdx.json'))
    const { bomFormat, metadata, components }: Written = JSON.parse(readFileSync(join(out, file), 'utf8'))
    assert.equal(bomFormat, 'CycloneDX')
    assert.equal(metadata.timestamp, new Date(SECONDS * 1000).toISOString())
    const names = components.map((component) => component['bom-ref'].replace(/@[^@]+$/, ''))
    // Of the server, the pages, the command line, and what it asks for.
    for (const name of ['find-my-way', 'preact', 'commander', '@napi-rs/keyring', 'blindkeep-server'])
      assert.ok(names.includes(name), name)
    for (const name of ['vite', 'rolldown', 'typescript', '@blindkeep/bench']) assert.ok(!names.includes(name), name)
    for (const { hashes, 'bom-ref': ref } of components.filter(({ 'bom-ref': each }) => !each.includes('blindkeep')))
      assert.equal(hashes?.[0]?.alg, 'SHA-512', ref)
  })

  it('has a bill of materials as the schema of CycloneDX wants it, in which each reference leads somewhere', async () => {
    const [file = ''] = readdirSync(out).filter((name) => name.endsWith('.cdx.json'))
    const text = readFileSync(join(out, file), 'utf8')
    const { specVersion, metadata, components, dependencies, ...others }: Referring = JSON.parse(text)
    const version = Object.values(Spec.Version).find((each) => each === specVersion)
    assert.ok(version !== undefined, specVersion)
    const schema = new Validation.JsonStrictValidator(version)
    assert.equal(await schema.validate(text), null)
    // The validator looks: it refuses a component without a name.
    const nameless = { ...others, specVersion, components: [{ type: 'library' }] }
    assert.notEqual(await schema.validate(JSON.stringify(nameless)), null)
    const refs = [metadata.component, ...components].map((component) => component['bom-ref'])
    assert.equal(new Set(refs).size, refs.length)
    assert.deepEqual(dependencies.map(({ ref }) => ref).toSorted(), refs.toSorted())
    for (const { dependsOn } of dependencies) for (const ref of dependsOn) assert.ok(refs.includes(ref), ref)
  })

  it('stops when a package has another version, and writes nothing', () => {
    const manifest = join(copy, 'packages', 'web', 'package.json')
    writeFileSync(manifest, readFileSync(manifest, 'utf8').replace(/"version": ".*?"/, '"version": "99.0.0"'))
    const refused = join(copy, 'refused')
    const args = ['--disable-warning=ExperimentalWarning', 'tools/release.ts', '--no-audit', '--out', refused]
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8' })
    assert.equal(status, 1)
    assert.match(stderr, /packages\/web\/package\.json has version 99\.0\.0/)
    assert.equal(existsSync(refused), false)
  })
})

interface Listed {
  readonly files: Readonly<Record<string, readonly [sha256: string, length: number, mediaType: string]>>
}

interface Written {
  readonly bomFormat: string
  readonly metadata: { readonly timestamp: string }
  readonly components: readonly {
    readonly 'bom-ref': string
    readonly hashes?: readonly { readonly alg: string }[]
  }[]
}

interface Referring {
  readonly specVersion: string
  readonly metadata: { readonly component: { readonly 'bom-ref': string } }
  readonly components: readonly { readonly 'bom-ref': string }[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

/** All files of the tree, and the installed packages as hard links, without what was built. */
function copyOfTree(): string {
  const packedDirectory = join(ROOT, 'packed')
  mkdirSync(packedDirectory, { recursive: true })
  const directory = mkdtempSync(join(packedDirectory, 'copy-'))
  for (const file of projectFiles()) {
    mkdirSync(dirname(join(directory, file)), { recursive: true })
    copyFileSync(join(ROOT, file), join(directory, file))
  }
  // Without the caches, which other tests write meanwhile.
  const modules = join(directory, 'node_modules')
  mkdirSync(modules)
  const names = readdirSync(join(ROOT, 'node_modules')).filter((name) => name !== '.cache')
  execFileSync('cp', ['-al', ...names.map((name) => join(ROOT, 'node_modules', name)), modules])
  return directory
}

function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}
