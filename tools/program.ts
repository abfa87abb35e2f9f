/**
 * The command line as one file that runs without Node: `npm run program [directory]` (`decisions/program.md`). Writes
 * an archive, to `packed` by default: the program, and the licences of what is inside. The same tree gives the same
 * bytes.
 *
 * It is the Node that `program/node.json` pins, into which `postject` puts the bundle of the command line, the owner's
 * pages and the lists of pages: what Node calls a single executable application.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, relative, resolve, sep } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Plugin } from 'rolldown'
import { argumentsOf } from './arguments.ts'
import { makeBundle } from './bundle.ts'
import { CONTENTS_FILE, type Contained, LICENCES_FILE, licencesOf } from './licences.ts'
import { copyPagesLists, isLocal } from './pagesList.ts'
import { AnotherNode, installedNode, programArchive } from './pinnedNode.ts'
import { ROOT } from './projectFiles.ts'

const USAGE = `npm run program [-- DIRECTORY]
  DIRECTORY  where the archive goes, \`packed\` by default`
const OUT = resolve(argumentsOf(USAGE, {}, { maxPositionals: 1 }).positionals[0] ?? join(ROOT, 'packed'))
const STAGE = join(ROOT, 'packed', `program-${process.pid}`)
const PARTS = join(ROOT, 'tools', 'program')
const PAGES = join(ROOT, 'packages', 'web', 'dist')
const { version: VERSION }: { readonly version: string } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const NO_WARNING = '--disable-warning=ExperimentalWarning'
/** As `packages/cli/bin.mjs` starts Node. */
const EXEC_ARGV = [NO_WARNING, '--max-semi-space-size=2']
/** What Node looks for in its own file (its manual, "Single executable applications"). */
const [RESOURCE, FUSE] = ['NODE_SEA_BLOB', 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2']
const KEYRING = '@napi-rs/keyring'
/** Under the LGPL, so never where another build cannot take its place (`decisions/previews.md`). */
const LEFT_OUT = { name: 'libheif-js', files: /^preview\/libheif\./ }

/** What Node starts in a program is CommonJS: without `import.meta`, and without `await` beyond functions. */
const OTHERWISE: Readonly<Record<string, readonly [text: string, instead: string]>> = {
  // As a module that never comes to its end, and so with its exit status.
  'packages/cli/src/main.ts': ['\nawait run()', '\nprocess.exitCode = 13\nvoid run()'],
  'packages/cli/src/ground/width.ts': ['const require = createRequire(import.meta.url)\n', ''],
  // Only a program that lies beside a clone's packages would come to this.
  'packages/cli/src/pages/builtPages.ts': ["import.meta.resolve('@blindkeep/web/package.json')", "'file:///nowhere'"],
  // The pinned Node has all of them.
  'packages/client/src/node/primitivesOfNode.ts': ['hasAll() ? ofNode : await ofNoble()', 'ofNode'],
}

const changed = new Set<string>()

const COMMON_JS: Plugin = {
  name: 'common-js',
  resolveId: (source) => (source === KEYRING ? `\0${KEYRING}` : undefined),
  // Native code cannot be loaded from inside, and beside the program others may put theirs.
  load: (id) => (id === `\0${KEYRING}` ? `throw new Error('not inside')\nexport const AsyncEntry = 0` : undefined),
  transform(code, id) {
    const [text, instead] = OTHERWISE[relative(ROOT, id).replaceAll(sep, '/')] ?? []
    if (text === undefined || instead === undefined) return undefined
    if (code.split(text).length !== 2) throw new Error(`${id} has not once: ${text}`)
    changed.add(text)
    return code.replace(text, () => instead)
  },
}

mkdirSync(STAGE, { recursive: true })
mkdirSync(OUT, { recursive: true })
try {
  await make(installedNode())
} catch (error) {
  // Another Node is no fault of this script.
  if (!(error instanceof AnotherNode)) throw error
  console.error(error.message)
  process.exitCode = 1
} finally {
  rmSync(STAGE, { recursive: true, force: true })
}

async function make(node: string): Promise<void> {
  run(process.execPath, [NO_WARNING, join(ROOT, 'packages', 'web', 'build.ts'), '--if-changed'])
  const folder = join(STAGE, `blindkeep-${VERSION}`)
  mkdirSync(folder)
  await gather()
  inject(node, join(folder, 'blindkeep'))
  writeLicences(folder)
  archive(folder, join(OUT, programArchive(VERSION)))
}

/** All that goes inside, as files in `code`, `pages` and `lists`. */
async function gather(): Promise<void> {
  await makeBundle('cli', join(STAGE, 'code'), {
    inputs: ['main.ts'],
    external: [],
    plugins: [COMMON_JS],
    output: { format: 'cjs', chunkFileNames: '[name]-[hash].js' },
  })
  for (const [file, [text]] of Object.entries(OTHERWISE))
    if (!changed.has(text)) throw new Error(`the bundle does not contain ${file}`)
  const isWanted = (path: string) => isLocal(path) && !LEFT_OUT.files.test(path)
  const filter = (path: string) => isWanted(relative(PAGES, path).replaceAll(sep, '/'))
  cpSync(PAGES, join(STAGE, 'pages'), { recursive: true, filter })
  await copyPagesLists(join(STAGE, 'lists'))
}

/** Puts what was gathered into a copy of Node. */
function inject(node: string, program: string): void {
  const assets = ['code', 'pages', 'lists'].flatMap(filesBelow)
  // Paths from the working directory: Node writes the path of `main` into what it makes.
  copyFileSync(join(PARTS, 'load.cjs'), join(STAGE, 'load.cjs'))
  const config = {
    main: 'load.cjs',
    output: 'blob',
    disableExperimentalSEAWarning: true,
    execArgv: EXEC_ARGV,
    execArgvExtension: 'none',
    assets: Object.fromEntries(assets.map((file) => [file, file])),
  }
  writeFileSync(join(STAGE, 'config.json'), JSON.stringify(config))
  run(node, ['--experimental-sea-config', 'config.json'])
  copyFileSync(node, program)
  chmodSync(program, 0o755)
  const postject = join(ROOT, 'node_modules', 'postject', 'dist', 'cli.js')
  run(process.execPath, [postject, program, RESOURCE, join(STAGE, 'blob'), '--sentinel-fuse', FUSE])
}

/** Sorted, from the stage, with `/`. */
function filesBelow(folder: string): readonly string[] {
  const entries = readdirSync(join(STAGE, folder), { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return files.map((file) => relative(STAGE, file).replaceAll(sep, '/')).sort()
}

/** Ours, Node's, and those of all packages inside; and the list that `release.ts` reads. */
function writeLicences(folder: string): void {
  const read = (from: string, file: string) => readFileSync(join(STAGE, from, file), 'utf8')
  const listed = (from: string): readonly Contained[] => JSON.parse(read(from, CONTENTS_FILE))
  const contents = [...listed('code'), ...listed('pages')].filter(({ name }) => name !== LEFT_OUT.name)
  const unique = new Map(contents.map((each) => [`${each.name}@${each.version}`, each]))
  writeFileSync(join(folder, CONTENTS_FILE), `${JSON.stringify([...unique.values()], undefined, 2)}\n`)
  const texts = ['code', 'pages'].map((from) => read(from, LICENCES_FILE))
  writeFileSync(join(folder, LICENCES_FILE), licencesOf(texts, LEFT_OUT.name))
  copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'))
  copyFileSync(join(PARTS, 'NODE-LICENSE.txt'), join(folder, 'NODE-LICENSE.txt'))
}

/** With one owner, one date and fixed rights, in one order. Node compresses: other programs differ in their bytes. */
function archive(folder: string, to: string): void {
  for (const name of readdirSync(folder)) chmodSync(join(folder, name), name === 'blindkeep' ? 0o755 : 0o644)
  chmodSync(folder, 0o755)
  const tar = ['--create', '--format=ustar', '--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mtime=@0']
  const bytes = run('tar', [...tar, '--directory', STAGE, basename(folder)])
  const packed = gzipSync(bytes)
  writeFileSync(to, packed)
  const [size, unpacked] = [packed, bytes].map(({ length }) => Math.ceil(length / 1_000_000))
  console.log(`${basename(to)}: ${size} MB, ${unpacked} MB unpacked`)
}

/** What it prints. In the stage, so that no path of this machine comes into what it makes. */
function run(command: string, args: readonly string[]): Buffer {
  return execFileSync(command, args, { cwd: STAGE, stdio: 'pipe', maxBuffer: 512 * 1024 * 1024 })
}
