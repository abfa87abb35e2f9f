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
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import { servePages } from '../packages/cli/src/testing/servedPages.ts'
import { factsOf, finished } from '../packages/cli/src/testing/world.ts'
import { bareSystem, lackOfBareSystem } from '../testing/bareSystem.ts'
import { installPacked, type Packed } from '../testing/packed.ts'
import { startServer } from '../testing/startServer.ts'
import { installedNode, PINNED_NODE } from './pinnedNode.ts'
import { projectFiles, ROOT } from './projectFiles.ts'

/** Of the program's environment: it is no Node to which options, or code, can be given. */
const NODE_OPTIONS = '--require=/home/others.js'
const SECONDS = 1_700_000_000
const DRY_RUN = ['--disable-warning=ExperimentalWarning', 'tools/release.ts', '--dry-run', '--no-audit']

let packed: Packed
let copy: string
let out: string
/** The archive of the program, unpacked, and the program itself. */
let [place, program] = ['', '']
before(async () => {
  packed = await installPacked()
  copy = copyOfTree()
  out = join(copy, 'out')
  compareNode('2027-01-31')
  // Another place, another day, another time zone and other rights of new files.
  const script = `umask 077; exec "${process.execPath}" ${DRY_RUN.join(' ')} --out "${out}"`
  const env = { ...process.env, TZ: 'Pacific/Auckland', SOURCE_DATE_EPOCH: String(SECONDS) }
  await promisify(execFile)('sh', ['-c', script], { cwd: copy, env })
  const again = ['--disable-warning=ExperimentalWarning', 'tools/program.ts', packed.archives]
  await promisify(execFile)(process.execPath, again, { cwd: ROOT })
  place = join(copy, 'program')
  mkdirSync(place)
  const [archive = ''] = readdirSync(out).filter((name) => name.endsWith('.tar.gz'))
  execFileSync('tar', ['-xzf', join(out, archive), '-C', place, '--strip-components=1'])
  program = join(place, 'blindkeep')
})
after(async () => {
  rmSync(copy, { recursive: true, force: true })
  await packed.remove()
})

describe('a release', () => {
  it('has the same packages and the same program, byte for byte, in another directory', () => {
    const archives = join(packed.directory, 'archives')
    const names = readdirSync(archives).sort()
    assert.deepEqual(
      readdirSync(out)
        .filter((name) => /\.(?:tgz|tar\.gz)$/.test(name))
        .sort(),
      names,
    )
    assert.equal(names.length, 5)
    for (const name of names) assert.equal(sha256(join(out, name)), sha256(join(archives, name)), name)
  })

  it('has the list of its pages, for programs and beside them, and every page is as it says', () => {
    const [name = ''] = readdirSync(out).filter((each) => each.endsWith('.pages.json'))
    const text = readFileSync(join(out, name), 'utf8')
    const [, version = ''] = /^blindkeep-(.+)\.pages\.json$/.exec(name) ?? []
    const unpacked = (name: string) => {
      const place = join(copy, name)
      mkdirSync(place)
      execFileSync('tar', ['-xzf', join(out, `${name}-${version}.tgz`), '-C', place])
      return (path: string) => readFileSync(join(place, 'package', 'dist', path))
    }
    assert.equal(unpacked('blindkeep')(`lists/${version}.json`).toString(), text)
    const server = unpacked('blindkeep-server')
    assert.equal(server('pages/pages.json').toString(), text)
    const { files }: Listed = JSON.parse(text)
    assert.ok(Object.keys(files).length > 30)
    for (const [path, [digest, length]] of Object.entries(files)) {
      const bytes = server(`pages/${path}`)
      assert.deepEqual([createHash('sha256').update(bytes).digest('hex'), bytes.length], [digest, length], path)
    }
    const lines = text.split('\n').filter((line) => line.startsWith('"assets/'))
    assert.deepEqual(lines, lines.toSorted())
  })

  it('is as large as the documents say, within a tenth', () => {
    const [server = ''] = readdirSync(out).filter((name) => /^blindkeep-server-.*\.tgz$/.test(name))
    const packedBytes = statSync(join(out, server)).size
    const programBytes = statSync(program).size
    const said = [
      ['docs/install.md', / (\d+) MB: the server/, packedBytes],
      ['packages/server/README.md', /without dependencies: (\d+) MB/, packedBytes],
      ['docs/command-line.md', /It is one file of (\d+) MB/, programBytes],
    ] as const
    for (const [file, pattern, bytes] of said) {
      const [, megabytes = ''] = pattern.exec(readFileSync(join(ROOT, file), 'utf8')) ?? []
      assert.ok(Math.abs(Number(megabytes) * 1_000_000 - bytes) < bytes / 10, `${file}: ${megabytes} MB, not ${bytes}`)
    }
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
    const { bomFormat, metadata, components, dependencies }: Written = JSON.parse(readFileSync(join(out, file), 'utf8'))
    assert.equal(bomFormat, 'CycloneDX')
    assert.equal(metadata.timestamp, new Date(SECONDS * 1000).toISOString())
    const names = components.map((component) => component['bom-ref'].replace(/@[^@]+$/, ''))
    // Of the server, the pages, the command line, and what it asks for.
    for (const name of ['find-my-way', 'preact', 'commander', '@napi-rs/keyring', 'blindkeep-server'])
      assert.ok(names.includes(name), name)
    for (const name of ['vite', 'rolldown', 'typescript', '@blindkeep/bench']) assert.ok(!names.includes(name), name)
    for (const { hashes, 'bom-ref': ref } of components.filter(({ 'bom-ref': each }) => !each.includes('blindkeep')))
      assert.equal(hashes?.[0]?.alg, ref.startsWith('nodejs@') ? 'SHA-256' : 'SHA-512', ref)
    const partsOf = (name: string) => dependencies.find(({ ref }) => ref.startsWith(`${name}@`))?.dependsOn ?? []
    const program = `blindkeep-${PINNED_NODE.system}`
    const own = ['@blindkeep/client', '@blindkeep/protocol', program, 'blindkeep-server', 'blindkeep']
    assert.deepEqual(
      partsOf('blindkeep-release').map((ref) => ref.replace(/@[^@]+$/, '')),
      own,
    )
    // What the program contains, besides Node, is what the packages contain.
    const dependsOn = partsOf(program)
    for (const name of ['nodejs', 'commander', 'preact'])
      assert.ok(
        dependsOn.some((ref) => ref.startsWith(`${name}@`)),
        name,
      )
    assert.ok(!dependsOn.some((ref) => ref.startsWith('libheif-js@')))
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

  it('leaves the program out, also in a dry run, until a person has compared its Node', () => {
    compareNode(null)
    const without = join(copy, 'without')
    const { status, stderr } = spawnSync(process.execPath, [...DRY_RUN, '--out', without], {
      cwd: copy,
      encoding: 'utf8',
    })
    assert.equal(status, 0, stderr)
    assert.match(stderr, /^No program: the digest of Node /m)
    const expected = readdirSync(out).filter((name) => !name.endsWith('.tar.gz'))
    assert.deepEqual(readdirSync(without).sort(), expected.sort())
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

describe('the program of a release', () => {
  it('is for owner and guest, and serves and checks pages, on a system without Node', async (t) => {
    const lack = lackOfBareSystem()
    if (lack !== undefined) return t.skip(lack)
    const server = await startServer()
    t.after(() => server.stop())
    const system = bareSystem(program, { NODE_OPTIONS, BLINDKEEP_PASSWORD: 'a long sentence of your own' })
    t.after(() => system.remove())
    const call = async (...args: readonly string[]) => {
      const outcome = await finished(system.start([...args, '--json']))
      assert.equal(outcome.status, 0, outcome.stderr)
      return factsOf(outcome)
    }

    await call('register', server.url, '--email', 'ada@example.org', '--words-to', '/home/words')
    const [{ url }] = await call('link', 'create')
    system.write('letter.txt', 'for your eyes only')
    await call('drop', url, '/home/letter.txt', '--proof')
    assert.equal((await call('inbox', 'list')).length, 1)
    await call('inbox', 'save', '--all', '--to', '/home/inbox')
    assert.equal(system.read('inbox/letter.txt'), 'for your eyes only')
    await call('receipt', 'check', '/home/letter.txt.blindkeep-proof.json', '/home/letter.txt', '--server', server.url)

    const served = await servePages(system, 'default')
    const index = readFileSync(join(ROOT, 'packages', 'web', 'dist', 'index.html'))
    assert.deepEqual(await served.open('/'), index)
    const [script = ''] = /assets\/owner-[\w-]+\.js/.exec(index.toString()) ?? []
    assert.ok((await served.open(`/${script}`)).length > 100_000)
    assert.equal(await served.end('SIGTERM'), 0)
    await call('pages', 'check', server.url)

    const keyring = await finished(
      system.start(['login', server.url, '--email', 'ada@example.org', '--keyring', '--profile', 'sealed']),
    )
    assert.equal(keyring.status, 1)
    assert.match(
      keyring.stderr,
      /This program is a single file, without the native code .* or call this again without --keyring/,
    )
  })

  it('has the licences of Node and of what else is inside, and nothing under a licence that asks for a file apart', () => {
    assert.match(readFileSync(join(place, 'NODE-LICENSE.txt'), 'utf8'), /^Node\.js is licensed for use as follows:/)
    const licences = readFileSync(join(place, 'LICENCES.txt'), 'utf8')
    for (const name of ['commander', 'preact', '@embedpdf/pdfium'])
      assert.match(licences, new RegExp(`^${name} \\d`, 'm'))
    assert.doesNotMatch(licences, /libheif|LGPL/)
    const bytes = readFileSync(program)
    assert.ok(bytes.includes('pages/preview/pdfium.wasm'))
    assert.ok(!bytes.includes('pages/preview/libheif'))
  })

  it('is made of no Node but the pinned one', () => {
    const other = join(place, 'node')
    writeFileSync(other, 'another Node')
    assert.throws(() => installedNode(other), /is not the Node [\d.]+ for \S+ that tools\/program\/node\.json pins/)
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
  readonly dependencies: Referring['dependencies']
}

interface Referring {
  readonly specVersion: string
  readonly metadata: { readonly component: { readonly 'bom-ref': string } }
  readonly components: readonly { readonly 'bom-ref': string }[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

/** In the copy. */
function compareNode(day: string | null): void {
  const file = join(copy, 'tools', 'program', 'node.json')
  const pinned: object = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify({ ...pinned, compared_with_nodejs_org: day }))
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
