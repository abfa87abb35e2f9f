/**
 * Makes the packages that install elsewhere, where Node runs no TypeScript (`decisions/packages.md`).
 * `npm run pack [directory]` writes `*.tgz`, to `packed` by default. The same tree gives the same bytes.
 */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { argumentsOf } from './arguments.ts'
import { bundled, isOutside, KEY_FILE, type ProgramName } from './bundle.ts'
import { copyPagesLists, isLocal } from './pagesList.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const USAGE = `npm run pack [-- DIRECTORY]
  DIRECTORY  where the packages go, \`packed\` by default`
const PACKED = resolve(argumentsOf(USAGE, {}, { maxPositionals: 1 }).positionals[0] ?? join(ROOT, 'packed'))
/** Below the root, so that the compiler finds the packages of others. */
const STAGE = join(ROOT, 'packed', `stage-${process.pid}`)
/** Of all packages: the one place to change it is the root's manifest, by `npm version` (`CONTRIBUTING.md`). */
const { version: VERSION }: { readonly version: string } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
/** The oldest Node with all that the packages use, such as `node:sqlite` without a flag. */
const ENGINES = { node: '>=22.13' }
/** The programs have the pages inside. */
const PAGES = '@blindkeep/web'
/** What operators of an installed server copy from. */
const SAMPLES = ['systemd', 'proxy', 'fail2ban', 'prometheus', 'grafana']
/** What they read there: the units, the start and the help name these. */
const DOCUMENTS = [
  ...['install', 'operating', 'moving', 'backup', 'upgrading', 'scale', 'when-something-is-wrong'].map(
    (name) => `docs/${name}.md`,
  ),
  'SECURITY.md',
]
const NO_WARNING = '--disable-warning=ExperimentalWarning'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly exports?: Readonly<Record<string, string>>
  readonly imports?: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

/** Of the staged packages, in the order in which they are packed. */
const directories: string[] = []

mkdirSync(PACKED, { recursive: true })
try {
  // A library is compiled against the compiled ones before it.
  packLibrary('protocol')
  packLibrary('client')
  run(process.execPath, [NO_WARNING, join(ROOT, 'packages', 'web', 'build.ts'), '--if-changed'], ROOT)
  await packProgram('cli', ({ directory }) => {
    copyPages(directory, isLocal)
    return copyPagesLists(join(directory, 'dist', 'lists'))
  })
  await packProgram('server', ({ directory }) => {
    copyPages(directory)
    for (const folder of SAMPLES)
      cpSync(join(ROOT, 'deploy', folder), join(directory, 'deploy', folder), { recursive: true })
    for (const document of DOCUMENTS) cpSync(join(ROOT, document), join(directory, document))
  })
  pack()
} finally {
  rmSync(STAGE, { recursive: true, force: true })
}

/** JavaScript with its types, file by file. */
function packLibrary(folder: string): void {
  const { directory, manifest } = stage(folder)
  cpSync(join(ROOT, 'packages', folder, 'src'), join(directory, 'src'), { recursive: true, filter: isShipped })
  write(directory, 'package.json', { ...compiled(manifest), files: ['dist'], engines: ENGINES })
  const linked = join(STAGE, 'node_modules', manifest.name)
  mkdirSync(dirname(linked), { recursive: true })
  symlinkSync(directory, linked)
  compile(folder, directory)
}

/** One program with all that it uses, and their licences. What stays outside is a dependency. */
async function packProgram(folder: ProgramName, add?: (staged: Staged) => Promise<void> | void): Promise<void> {
  const staged = stage(folder)
  const { directory, manifest } = staged
  cpSync(await bundled(folder), join(directory, 'dist'), {
    recursive: true,
    filter: (path) => !path.endsWith(KEY_FILE),
  })
  cpSync(join(ROOT, 'packages', folder, 'bin.mjs'), join(directory, 'bin.mjs'))
  await add?.(staged)
  const outside = (asked: Manifest['dependencies'] = {}) =>
    Object.fromEntries(Object.entries(asked).filter(([name]) => isOutside(folder, name) && name !== PAGES))
  const { optionalDependencies, ...others } = manifest
  write(directory, 'package.json', {
    ...others,
    dependencies: outside(manifest.dependencies),
    ...(optionalDependencies && { optionalDependencies: outside(optionalDependencies) }),
    files: ['bin.mjs', 'dist', 'deploy', 'docs', 'SECURITY.md'].filter((name) => existsSync(join(directory, name))),
    engines: ENGINES,
  })
}

function copyPages(directory: string, isWanted: (path: string) => boolean = () => true): void {
  const built = join(ROOT, 'packages', 'web', 'dist')
  const filter = (path: string) => isWanted(relative(built, path).replaceAll(sep, '/'))
  cpSync(built, join(directory, 'dist', 'pages'), { recursive: true, filter })
}

interface Staged {
  readonly directory: string
  readonly manifest: Manifest
}

/** Sets the common version, exact versions of our packages, and leaves out what only this repository needs. */
function stage(folder: string): Staged {
  const from = join(ROOT, 'packages', folder)
  const directory = join(STAGE, folder)
  directories.push(directory)
  mkdirSync(directory, { recursive: true })
  cpSync(join(ROOT, 'LICENSE'), join(directory, 'LICENSE'))
  if (existsSync(join(from, 'README.md'))) cpSync(join(from, 'README.md'), join(directory, 'README.md'))
  const { devDependencies: _, ...manifest }: Manifest = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'))
  const dependencies = Object.entries(manifest.dependencies ?? {}).map(([name, range]) => [
    name,
    name.startsWith('@blindkeep/') ? VERSION : range,
  ])
  return { directory, manifest: { ...manifest, version: VERSION, dependencies: Object.fromEntries(dependencies) } }
}

function isShipped(path: string): boolean {
  return !/\.test\.ts$|[\\/]testing$/.test(path)
}

/** The same manifest, with the compiled files in the place of the sources. */
function compiled({ exports = {}, imports, ...manifest }: Manifest): object {
  const types = (path: string) => ({ types: dist(path, '.d.ts'), default: dist(path, '.js') })
  const scripts = (conditions: Readonly<Record<string, string>>) => mapValues(conditions, (path) => dist(path, '.js'))
  return { ...manifest, exports: mapValues(exports, types), ...(imports && { imports: mapValues(imports, scripts) }) }
}

function dist(path: string, ending: string): string {
  return path.replace(/^\.\/src\//, './dist/').replace(/\.ts$/, ending)
}

function mapValues<In, Out>(object: Readonly<Record<string, In>>, map: (value: In) => Out): Record<string, Out> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]))
}

function compile(folder: string, directory: string): void {
  const isPure = folder === 'protocol'
  write(directory, 'tsconfig.json', {
    extends: join(ROOT, 'tsconfig.base.json'),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      rewriteRelativeImportExtensions: true,
      rootDir: 'src',
      outDir: 'dist',
      types: isPure ? [] : ['node'],
      lib: ['es2024', ...(isPure ? [] : ['dom', 'dom.iterable', 'dom.asynciterable'])],
    },
    include: ['src'],
  })
  run(join(ROOT, 'node_modules', '.bin', 'tsc'), ['--singleThreaded', '-p', directory], ROOT)
}

/** The rights of files are in an archive, and this machine's are its own. */
function normaliseRights(directory: string): void {
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true }))
    chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() || entry.name === 'bin.mjs' ? 0o755 : 0o644)
}

function pack(): void {
  for (const directory of directories) normaliseRights(directory)
  const answer = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', PACKED, ...directories], ROOT))
  // npm 11 lists packages, npm 12 names them.
  for (const { filename, size, unpackedSize } of Object.values<PackedFile>(answer))
    console.log(`${filename}: ${Math.ceil(size / 1000)} kB, ${Math.ceil(unpackedSize / 1000)} kB unpacked`)
}

interface PackedFile {
  readonly filename: string
  readonly size: number
  readonly unpackedSize: number
}

function write(directory: string, file: string, value: object): void {
  writeFileSync(join(directory, file), `${JSON.stringify(value, undefined, 2)}\n`)
}

function run(command: string, args: readonly string[], cwd: string): string {
  try {
    return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  } catch (error) {
    // The compiler prints its findings on standard output.
    if (error instanceof Error && 'stdout' in error) process.stderr.write(String(error.stdout))
    throw error
  }
}
