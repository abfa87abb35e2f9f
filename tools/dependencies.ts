/**
 * What others wrote and people run, checked against `package-lock.json`: `npm run check:dependencies`.
 * - Each direct dependency has its reason in `decisions/dependencies.md`, whose last section lists what each brings
 *   (`npm run make:dependencies` writes it).
 * - Every licence is one of ours.
 * - Nothing of it runs at its installation.
 * - All packages here have one version.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { argumentsOf } from './arguments.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PAGE = join(ROOT, 'decisions', 'dependencies.md')
/** Under these the software may be passed on, with their texts (`dist/LICENCES.txt`). */
const LICENCES: readonly string[] = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  '(MIT AND Zlib)',
  'LGPL-3.0',
]
/** The licence asks that another build can take its place: served as a file of its own (decisions/previews.md). */
const APART: ReadonlyMap<string, readonly string[]> = new Map([['LGPL-3.0', ['libheif-js']]])
const BEGIN = '<!-- npm run make:dependencies writes what follows -->'
const MODULES = 'node_modules/'

interface Entry {
  readonly name?: string
  readonly version?: string
  readonly license?: string
  readonly integrity?: string
  readonly link?: boolean
  readonly dev?: boolean
  readonly devOptional?: boolean
  readonly hasInstallScript?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}
interface Lock {
  readonly packages: Readonly<Record<string, Entry>>
}

const { packages }: Lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
const entries = Object.entries(packages)
const own = entries.filter(([path]) => !path.includes(MODULES))
const production = entries.filter(
  ([path, { link, dev, devOptional }]) =>
    path.includes(MODULES) && link !== true && dev !== true && devOptional !== true,
)
const page = readFileSync(PAGE, 'utf8')
const [reasons = ''] = page.split(BEGIN)
const written = `${reasons}${BEGIN}\n\n${section()}`

if (
  argumentsOf('npm run make:dependencies [-- --check]', { check: { type: 'boolean', default: false } }).values.check
) {
  const faults = [...faultsOfOwn(), ...faultsOfProduction(), ...faultsOfPage()]
  for (const fault of faults) console.error(fault)
  process.exitCode = faults.length > 0 ? 1 : 0
} else writeFileSync(PAGE, written)

function faultsOfOwn(): readonly string[] {
  const version = packages['']?.version
  const manifests = own.map(([path]) => [path, readManifest(path)] as const)
  return manifests.flatMap(([path, manifest]) => [
    ...(manifest.version === version ? [] : [`${path}/package.json has version ${manifest.version}, not ${version}`]),
    ...Object.keys({ ...askedBy(manifest), ...manifest.devDependencies })
      .filter((name) => !isOwn(name) && !hasReason(name))
      .map((name) => `decisions/dependencies.md gives no reason for ${name}, which ${path || 'the root'} asks for`),
  ])
}

function readManifest(path: string): Entry {
  return JSON.parse(readFileSync(join(ROOT, path, 'package.json'), 'utf8'))
}

function faultsOfProduction(): readonly string[] {
  return production.flatMap(([path, { license = 'none', integrity, hasInstallScript }]) => [
    ...(isAllowed(license, nameOf(path)) ? [] : [`${path} has the licence ${license}, which is not in the list`]),
    ...(hasInstallScript === true ? [`${path} runs a script when it is installed`] : []),
    ...(integrity?.startsWith('sha512-') === true ? [] : [`${path} has no SHA-512 in package-lock.json`]),
  ])
}

function isAllowed(license: string, name: string): boolean {
  return LICENCES.includes(license) && APART.get(license)?.includes(name) !== false
}

function faultsOfPage(): readonly string[] {
  return page === written ? [] : ['decisions/dependencies.md is not current: npm run make:dependencies']
}

/** A row or a paragraph names it before it says why. */
function hasReason(name: string): boolean {
  return reasons.split('\n').some((line) => {
    const named = /^\*\*(.*?)\*\*/.exec(line)?.[1] ?? /^\|([^|]*)\|/.exec(line)?.[1]
    return named?.includes(`\`${name}\``) === true
  })
}

function isOwn(name: string): boolean {
  return packages[`${MODULES}${name}`]?.link === true
}

function section(): string {
  const users = own.filter(([path]) => path.startsWith('packages/'))
  const direct = [...new Set(users.flatMap(([, entry]) => Object.keys(askedBy(entry))))]
  const rows = direct
    .filter((name) => !isOwn(name))
    .sort()
    .map((name) => {
      const usedBy = users.filter(([, entry]) => askedBy(entry)[name] !== undefined)
      const brought = [...broughtBy(usedBy[0]?.[0] ?? '', name)].filter((each) => each !== name).sort()
      const cells = [`\`${name}\``, usedBy.map(([path]) => path.slice('packages/'.length)).join(', ')]
      return `| ${[...cells, brought.map((each) => `\`${each}\``).join(', ') || '–'].join(' | ')} |`
    })
  const names = new Set(production.map(([path]) => nameOf(path)))
  const counts = LICENCES.map((licence) => [
    licence,
    production.filter(([, { license }]) => license === licence).length,
  ])
  const licences = counts.filter(([, count]) => count !== 0).map(([licence, count]) => `${licence} ${count}`)
  return [
    '## What runs in production',
    '',
    `${names.size} packages of others, the parts of \`@napi-rs/keyring\` for other systems included. None runs a script when it is installed. Licences: ${licences.join(', ')}.`,
    '',
    '| package | used by | brings |',
    '| --- | --- | --- |',
    ...rows,
    '',
  ].join('\n')
}

/** All packages that come with `name` as the package at `from` gets it, by name. */
function broughtBy(from: string, name: string, found = new Map<string, string>()): ReadonlySet<string> {
  const path = placeOf(from, name)
  if (path !== undefined && !found.has(path)) {
    found.set(path, nameOf(path))
    for (const next of Object.keys(askedBy(packages[path] ?? {}))) broughtBy(path, next, found)
  }
  return new Set(found.values())
}

/** What npm installs with it: the optional ones too, where it can. */
function askedBy({ dependencies, optionalDependencies }: Entry): Readonly<Record<string, string>> {
  return { ...dependencies, ...optionalDependencies }
}

/** Where Node finds it, from the innermost directory outwards. */
function placeOf(from: string, name: string): string | undefined {
  for (let directory = from; ; directory = directory.slice(0, Math.max(0, directory.lastIndexOf('/')))) {
    const path = `${directory === '' ? '' : `${directory}/`}${MODULES}${name}`
    if (packages[path] !== undefined) return path
    if (directory === '') return undefined
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf(MODULES) + MODULES.length)
}
