/**
 * Everything of a release but its publication: `npm run release`. Checks that the tree is clean, that every package has
 * the version of the root and that `CHANGELOG.md` has its heading; asks the registry about signatures and known flaws
 * of what is installed; then writes the packed packages, the program for Linux, the list of the pages, their bill of
 * materials and the checksums of all. The same commit gives the same bytes with the same Node.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { argumentsOf } from './arguments.ts'
import { CONTENTS_FILE, type Contained } from './licences.ts'
import { RELEASED_LISTS } from './pagesList.ts'
import { faultOfPinnedNode, PINNED_NODE, programArchive } from './pinnedNode.ts'
import { type Bom, billOfMaterials, type PackedPackage } from './sbom.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const USAGE = `npm run release -- [--out DIR] [--dry-run] [--no-audit]
  --out DIR    where the files go, \`release\` by default; what is there is replaced
  --dry-run    goes on where a release would stop, says why it would, and not how to publish
  --no-audit   asks the registry nothing`
const SUMS = 'SHA256SUMS'
/** Not the package of that name, which only brings it here. */
const NODE: Contained = { name: 'nodejs', version: PINNED_NODE.version }
/** Where a bundle lists what it contains. */
const CONTENTS = [`dist/${CONTENTS_FILE}`, `dist/pages/${CONTENTS_FILE}`]

const { values } = argumentsOf(USAGE, {
  out: { type: 'string', default: join(ROOT, 'release') },
  'dry-run': { type: 'boolean', default: false },
  'no-audit': { type: 'boolean', default: false },
})
release(resolve(values.out))

function release(out: string): void {
  const { version }: { readonly version: string } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const faults = [...faultsOfTree(version), ...(values['no-audit'] ? [] : faultsOfInstalled())]
  for (const fault of faults) console.error(`${values['dry-run'] ? 'A release would stop' : 'No release'}: ${fault}`)
  if (faults.length > 0 && !values['dry-run']) {
    process.exitCode = 1
    return
  }
  rmSync(out, { recursive: true, force: true })
  run(process.execPath, ['--disable-warning=ExperimentalWarning', join(ROOT, 'tools', 'pack.ts'), out])
  const archives = readdirSync(out).sort()
  const uncompared = faultOfPinnedNode()
  if (uncompared !== undefined) console.error(`No program: ${uncompared}`)
  const isProgramWanted = uncompared === undefined
  const hasProgram = isProgramWanted && isProgramMade(out)
  const pages = run('tar', ['-xOzf', join(out, archiveOf('server', version)), 'package/dist/pages/pages.json'])
  if (!(isCommittedList(pages, version) && hasProgram === isProgramWanted) && !values['dry-run']) {
    rmSync(out, { recursive: true, force: true })
    process.exitCode = 1
    return
  }
  writeFileSync(join(out, `blindkeep-${version}.pages.json`), pages)
  const packed = archives.map((name) => packedIn(join(out, name)))
  const program = hasProgram ? [programIn(out, version)] : []
  const bom = billOfMaterials(withProgram(npmSbom(), program), [...packed, ...program], timeOfCommit())
  writeFileSync(join(out, `blindkeep-${version}.cdx.json`), `${JSON.stringify(bom, undefined, 2)}\n`)
  writeFileSync(join(out, SUMS), checksums(out))
  console.log(readFileSync(join(out, SUMS), 'utf8').trimEnd())
  if (!values['dry-run'])
    console.log(
      `\nTo publish, in this order:\n${['protocol', 'client', '', 'server'].map((name) => `  npm publish --access public ${join(out, archiveOf(name, version))}`).join('\n')}\n  git tag --sign v${version}`,
    )
}

function faultsOfTree(version: string): readonly string[] {
  const changed = git('status', '--porcelain')
  const heading = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('## '))
    .find((line) => !line.startsWith('## Unreleased'))
  const isNamed = heading?.startsWith(`## ${version} - `) === true && / - \d{4}-\d{2}-\d{2}$/.test(heading)
  const tagged = spawnSync('git', ['rev-parse', '--quiet', '--verify', `refs/tags/v${version}^{commit}`], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  const checked = spawnSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(ROOT, 'tools', 'dependencies.ts'), '--check'],
    { encoding: 'utf8' },
  )
  return [
    ...(changed === '' ? [] : [`these files are not committed:\n${changed}`]),
    ...(isNamed ? [] : [`the newest heading of CHANGELOG.md is not \`## ${version} - YYYY-MM-DD\``]),
    ...(tagged.status !== 0 || tagged.stdout.trim() === git('rev-parse', 'HEAD')
      ? []
      : [`v${version} is another commit: choose a new version`]),
    ...(checked.status === 0 ? [] : [checked.stderr.trim()]),
  ]
}

/** Later releases of the command line know these pages by the list in the repository. Says what is missing there. */
function isCommittedList(pages: string, version: string): boolean {
  const file = join(RELEASED_LISTS, `${version}.json`)
  const isCommitted = existsSync(file) && readFileSync(file, 'utf8') === pages
  if (!isCommitted)
    console.error(
      `${values['dry-run'] ? 'A release would stop' : 'No release'}: packages/cli/pages/${version}.json is not the list of these pages. Copy packages/web/dist/pages.json there, and commit it`,
    )
  return isCommitted
}

/** The registry's word on what is installed. A silent registry is no fault, and is named. */
function faultsOfInstalled(): readonly string[] {
  const signatures = ask('audit signatures', isSignatures)
  const flaws = ask('audit', isFlaws)
  const unsigned = [...(signatures?.invalid ?? []), ...(signatures?.missing ?? [])]
  const severe = Object.values(flaws?.vulnerabilities ?? {})
  return [
    ...unsigned.map(({ name, version }) => `the registry’s signature of ${name}@${version} is missing or wrong`),
    ...severe.map(({ name, severity }) => `${name} has a known flaw (${severity}): npm audit`),
  ]
}

/** Undefined, with a line for people, if the registry does not answer this question. */
function ask<Answer>(question: string, isAnswer: (value: object) => value is object & Answer): Answer | undefined {
  const asked = spawnSync('npm', [...question.split(' '), '--json'], { cwd: ROOT, encoding: 'utf8' })
  const answer = parsed(asked.stdout)
  if (answer !== undefined && isAnswer(answer)) {
    console.log(`npm ${question}: answered`)
    return answer
  }
  const why = asked.stderr.split('\n').find((line) => line.startsWith('npm error') && !line.includes('log of this run'))
  console.log(`npm ${question}: skipped, the registry does not answer it (${why ?? asked.stdout.trim().slice(0, 200)})`)
  return undefined
}

function parsed(text: string): object | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

interface Signatures {
  readonly invalid: readonly Contained[]
  readonly missing: readonly Contained[]
}
function isSignatures(answer: object): answer is Signatures {
  return 'invalid' in answer && 'missing' in answer
}

interface Flaws {
  readonly vulnerabilities: Readonly<Record<string, { readonly name: string; readonly severity: string }>>
}
function isFlaws(answer: object): answer is Flaws {
  return 'vulnerabilities' in answer
}

function npmSbom(): Bom {
  return JSON.parse(run('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only']))
}

/** The component of Node, and of the program that contains it: npm knows neither. */
function withProgram(bom: Bom, programs: readonly Contained[]): Bom {
  const components = programs.flatMap(({ name, version }) => [
    { 'bom-ref': `${name}@${version}`, type: 'application', name, version },
    {
      'bom-ref': `${NODE.name}@${NODE.version}`,
      type: 'application',
      ...NODE,
      purl: `pkg:github/nodejs/node@v${NODE.version}`,
      licenses: [{ license: { id: 'MIT' } }],
      hashes: [{ alg: 'SHA-256', content: PINNED_NODE.sha256 }],
    },
  ])
  return { ...bom, components: [...bom.components, ...components] }
}

/** `program.ts` says what is missing here. */
function isProgramMade(out: string): boolean {
  const script = join(ROOT, 'tools', 'program.ts')
  return (
    spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', script, out], { stdio: 'inherit' }).status ===
    0
  )
}

function programIn(out: string, version: string): PackedPackage {
  const name = `blindkeep-${PINNED_NODE.system}`
  const archive = join(out, programArchive(version))
  const contents = JSON.parse(run('tar', ['-xOzf', archive, `blindkeep-${version}/${CONTENTS_FILE}`]))
  return { name, version, dependencies: [], contents: [...contents, NODE] }
}

interface PackedManifest extends Contained {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

function packedIn(archive: string): PackedPackage {
  const files = run('tar', ['-tzf', archive]).split('\n')
  const read = (file: string) => run('tar', ['-xOzf', archive, `package/${file}`])
  const { name, version, dependencies, optionalDependencies }: PackedManifest = JSON.parse(read('package.json'))
  const contents: readonly Contained[] = CONTENTS.filter((file) => files.includes(`package/${file}`)).flatMap((file) =>
    JSON.parse(read(file)),
  )
  return { name, version, dependencies: Object.keys({ ...dependencies, ...optionalDependencies }), contents }
}

function archiveOf(name: string, version: string): string {
  return `${['blindkeep', name].filter((part) => part !== '').join('-')}-${version}.tgz`
}

function checksums(directory: string): string {
  const names = readdirSync(directory)
    .filter((name) => name !== SUMS)
    .sort()
  const lines = names.map(
    (name) =>
      `${createHash('sha256')
        .update(readFileSync(join(directory, name)))
        .digest('hex')}  ${name}\n`,
  )
  return lines.join('')
}

/** Of the commit, so that a later build of it says the same; `SOURCE_DATE_EPOCH` says another. */
function timeOfCommit(): Date {
  return new Date(Number(process.env.SOURCE_DATE_EPOCH ?? git('log', '-1', '--format=%ct')) * 1000)
}

function git(...args: readonly string[]): string {
  return run('git', args).trim()
}

function run(command: string, args: readonly string[]): string {
  return execFileSync(command, args, {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64 * 1024 * 1024,
  })
}
