/**
 * Programs as a few files of JavaScript with all that they use (`decisions/packages.md`): finding and compiling
 * hundreds of small modules takes most of a start. What runs is `dist/` of each program's package; tests run the bundle
 * of the present sources, whatever `dist/` has.
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import http from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { OutputOptions, Plugin } from 'rolldown'
import { writeLicences } from './licences.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const CACHE = join(ROOT, 'node_modules', '.cache', 'blindkeep-programs')
/** Bundles of other sources are removed when no test can be using them any more. */
const KEPT_MS = 24 * 3_600_000
/** The key of the sources that a bundle was made of. */
export const KEY_FILE = 'sources.txt'

interface Program {
  /** Below `packages/<program>/src`; each becomes a file of its name. */
  readonly inputs: readonly string[]
  /** Packages that stay outside: native code, and what is not JavaScript. */
  readonly external: readonly string[]
  readonly packages: readonly string[]
}

const PROGRAMS = {
  server: {
    inputs: [
      'main.ts',
      'cli.ts',
      'adapters/sql/sqlite/copyWorker.ts',
      'adapters/keyring/receiptWorker.ts',
      'adapters/filesystem/digestWorker.ts',
    ],
    external: ['pg-native', '@blindkeep/web'],
    packages: ['protocol', 'server'],
  },
  cli: {
    inputs: ['main.ts', 'ground/wide.ts'],
    external: ['@napi-rs/keyring', '@blindkeep/web'],
    packages: ['protocol', 'client', 'cli'],
  },
} as const satisfies Readonly<Record<string, Program>>

export type ProgramName = keyof typeof PROGRAMS
export const PROGRAM_NAMES: readonly ProgramName[] = ['server', 'cli']

/** The bundle of the present sources: a directory that never changes. Made at the first call. */
export async function bundled(program: ProgramName): Promise<string> {
  const key = await keyOf(program)
  const directory = join(CACHE, `${program}-${key}`)
  if (existsSync(directory)) {
    await utimes(directory, new Date(), new Date())
    return directory
  }
  const staging = `${directory}.${process.pid}`
  await makeBundle(program, staging)
  await writeFile(join(staging, KEY_FILE), key)
  // Or Node would read each file twice, to find out whether it is a module: below node_modules it looks no higher.
  await writeFile(join(staging, 'package.json'), '{ "type": "module" }\n')
  await rename(join(staging, 'package.json'), join(CACHE, 'package.json'))
  // Another process may have made the same one meanwhile.
  await rename(staging, directory).catch(() => rm(staging, { recursive: true, force: true }))
  await removeOld()
  return directory
}

/** Installs the present sources' bundle, replacing the old one in one step at the end. */
export async function install(program: ProgramName): Promise<void> {
  const dist = join(ROOT, 'packages', program, 'dist')
  const staging = `${dist}.${process.pid}`
  await cp(await bundled(program), staging, { recursive: true })
  await rm(dist, { recursive: true, force: true })
  await rename(staging, dist)
}

/** Whether a package stays outside of the bundle. */
export function isOutside(program: ProgramName, name: string): boolean {
  return PROGRAMS[program].external.some((external) => external === name)
}

/** Whether `install` would change nothing. */
export async function isInstalled(program: ProgramName): Promise<boolean> {
  const installed = await readFile(join(ROOT, 'packages', program, 'dist', KEY_FILE), 'utf8').catch(() => undefined)
  return installed === (await keyOf(program))
}

/**
 * An `import` of `node:http` reads each of its exports, three of which load Node's `fetch` and `WebSocket`: 40 ms of
 * each start. The bundle takes the others from the module itself.
 */
const HTTP_WITHOUT_FETCH: Plugin = {
  name: 'http-without-fetch',
  resolveId: (source, _, { kind }) =>
    source === 'node:http' && kind === 'import-statement' ? '\0http-without-fetch' : undefined,
  load: (id) => {
    if (id !== '\0http-without-fetch') return undefined
    const names = Object.keys(http).filter((name) => !['WebSocket', 'CloseEvent', 'MessageEvent'].includes(name))
    return `const http = process.getBuiltinModule('node:http')\nexport default http\nexport const { ${names.join(', ')} } = http`
  },
}

/** What another form of a program has otherwise (`program.ts`). */
interface Form extends Partial<Program> {
  readonly plugins?: readonly Plugin[]
  readonly output?: OutputOptions
}

export async function makeBundle(program: ProgramName, directory: string, form: Form = {}): Promise<void> {
  const { rolldown } = await import('rolldown')
  const { inputs, external, plugins = [], output: others }: Form & Program = { ...PROGRAMS[program], ...form }
  const build = await rolldown({
    input: inputs.map((input) => join(ROOT, 'packages', program, 'src', input)),
    external: external.map((name) => new RegExp(`^${name}(/|$)`)),
    platform: 'node',
    cwd: ROOT,
    plugins: [
      ...plugins,
      { name: 'beside', transform: (code, id) => (id.startsWith(ROOT) ? besideEachOther(code) : undefined) },
      HTTP_WITHOUT_FETCH,
    ],
  })
  const { output } = await build.write({
    dir: directory,
    format: 'esm',
    entryFileNames: '[name].js',
    comments: { legal: true, annotation: true, jsdoc: false },
    ...others,
  })
  await build.close()
  const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []))
  await writeLicences(directory, modules)
}

/** The bundler reads neither a worker's `URL` nor a made `require`. In a bundle all files are in one directory. */
function besideEachOther(code: string): string {
  return code
    .replaceAll(/new URL\('\.\/(\w+)\.ts', import\.meta\.url\)/g, "new URL('./$1.js', import.meta.url)")
    .replaceAll(/\brequire\('\.\/(\w+)\.ts'\)/g, "require('./$1.js')")
}

/** Changes with each source file, and with the versions of all packages. */
async function keyOf(program: ProgramName): Promise<string> {
  const folders = PROGRAMS[program].packages.map((name) => join(ROOT, 'packages', name, 'src'))
  const sources = (await Promise.all(folders.map(filesIn))).flat()
  const manifest = join(ROOT, 'packages', program, 'package.json')
  const tools = ['bundle.ts', 'licences.ts'].map((name) => join(import.meta.dirname, name))
  const files = [...sources, manifest, join(ROOT, 'package-lock.json'), ...tools]
  const facts = await Promise.all(files.map(async (file) => [file, (await stat(file)).mtimeMs]))
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 16)
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

async function removeOld(): Promise<void> {
  for (const name of await readdir(CACHE)) {
    const directory = join(CACHE, name)
    const usedAt = await stat(directory).then(
      ({ mtimeMs }) => mtimeMs,
      () => Date.now(),
    )
    if (Date.now() - usedAt > KEPT_MS) await rm(directory, { recursive: true, force: true })
  }
}
