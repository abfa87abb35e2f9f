/**
 * Builds the pages into `dist/`, or where `--out` says, each file beside its compressed forms, so that the server
 * compresses nothing at run time, and all beside their list (`pages.json`). What was there is replaced at the end, in
 * one step. With `--if-possible` an installation without the tools for it (`npm ci --omit=dev`) is no fault; with
 * `--if-changed` nothing is built when every source is older than the last build.
 */
import { cp, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { extname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'
import { argumentsOf } from '../../tools/arguments.ts'
import { writeLicences } from '../../tools/licences.ts'
import { writePagesList } from '../../tools/pagesList.ts'
import { DECODERS, pagesConfig, previewConfig, serviceWorkerConfig } from './vite.config.ts'

const here = import.meta.dirname
const { values } = argumentsOf('node packages/web/build.ts [--out DIRECTORY] [--if-possible] [--if-changed]', {
  out: { type: 'string' },
  'if-possible': { type: 'boolean' },
  'if-changed': { type: 'boolean' },
})
const dist = resolve(values.out ?? join(here, 'dist'))
const staging = `${dist}.${process.pid}`
const root = join(here, '..', '..')
const SOURCES = [
  ...['index.html', 'u', 'unknown', 'preview', 'app', 'src', 'build.ts', 'vite.config.ts'].map((name) =>
    join(here, name),
  ),
  ...['packages/client/src', 'packages/protocol/src', 'package-lock.json'].map((name) => join(root, name)),
  // Of the list of the pages.
  ...['package.json', 'tools/pagesList.ts'].map((name) => join(root, name)),
  ...['policies.ts', 'problemPage.ts'].map((name) => join(root, 'packages/server/src/http', name)),
]

/** What stays as its authors made it. libheif is under the LGPL: another build of it can take its place. */
const COPIED = {
  'pdfium.wasm': '@embedpdf/pdfium/pdfium.wasm',
  'libheif.js': 'libheif-js/libheif-wasm/libheif.js',
  'libheif.wasm': 'libheif-js/libheif-wasm/libheif.wasm',
  'libheif.LICENSE': 'libheif-js/libheif-wasm/LICENSE',
} as const

if (values['if-changed'] === true && (await isCurrent())) console.log('The pages are as their sources.')
else if (isThere('vite') || values['if-possible'] !== true) await buildAll()
else console.log('The tools that build the pages are not installed, so what is built already stays as it is.')

async function buildAll(): Promise<void> {
  const { build } = await import('vite')
  const begun = new Date()
  const modules = new Set<string>()
  const noting = noteModules(modules)
  try {
    await build({ ...pagesConfig(staging, [noting]), plugins: [noting] })
    for (const name of ['preview', ...DECODERS] as const) await build(previewConfig(name, staging, [noting]))
    for (const path of await copyDecoders(join(staging, 'preview'))) modules.add(path)
    for (const name of ['push', 'take'] as const)
      await build({ ...serviceWorkerConfig(name, staging), plugins: [noting] })
    await writeLicences(staging, modules)
    for (const folder of ['preview', 'app', 'unknown'])
      await cp(join(here, folder), join(staging, folder), { recursive: true })
    await inlinePreview(join(staging, 'preview'))
    await addTakingManifest(join(staging, 'app'))
    await compress(staging)
    await writePagesList(staging)
    await utimes(join(staging, 'index.html'), begun, begun)
    await rm(dist, { recursive: true, force: true })
    await rename(staging, dist)
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}

/**
 * Makes one file of the preview's page. A frame with a `sandbox` attribute has no origin, and WebKit loads no script
 * and no style for it by the source `'self'`: the server allows those in the page by their hashes.
 */
async function inlinePreview(directory: string): Promise<void> {
  const parts = { 'preview.css': 'style', 'preview.js': 'script' } as const
  const page = join(directory, 'index.html')
  let document = await readFile(page, 'utf8')
  for (const [name, element] of Object.entries(parts)) {
    const text = await readFile(join(directory, name), 'utf8')
    const outside = new RegExp(`<link [^>]*href="${name}"[^>]*>|<script src="${name}"></script>`)
    if (!outside.test(document)) throw new Error(`preview/index.html does not name ${name}`)
    if (/<\/(?:style|script)|<!--/i.test(text)) throw new Error(`${name} contains what would end its element`)
    document = document.replace(outside, () => `<${element}>${text}</${element}>`)
    await rm(join(directory, name))
  }
  await writeFile(page, document)
}

/** Returns where they come from. */
async function copyDecoders(directory: string): Promise<readonly string[]> {
  const paths = Object.entries(COPIED).map(([name, from]) => ({ name, from: fileURLToPath(import.meta.resolve(from)) }))
  for (const { name, from } of paths) await cp(from, join(directory, name))
  return paths.map(({ from }) => from)
}

/** The same app's manifest, taking files from other apps (decisions/files-from-other-apps.md). */
async function addTakingManifest(directory: string): Promise<void> {
  const manifest: unknown = JSON.parse(await readFile(join(directory, 'app.webmanifest'), 'utf8'))
  const share_target = {
    action: '../take/',
    method: 'POST',
    enctype: 'multipart/form-data',
    params: { files: [{ name: 'files', accept: ['*/*'] }] },
  }
  await writeFile(join(directory, 'taking.webmanifest'), JSON.stringify({ ...Object(manifest), share_target }))
}

function noteModules(modules: Set<string>): Plugin {
  return {
    name: 'note-modules',
    generateBundle(_, output) {
      for (const chunk of Object.values(output))
        if (chunk.type === 'chunk') for (const id of chunk.moduleIds) modules.add(id)
    },
  }
}

async function isCurrent(): Promise<boolean> {
  const builtAt = await changedAt(join(dist, 'index.html')).catch(() => 0)
  const names = await Promise.all(SOURCES.map(withEntries))
  const times = await Promise.all(names.flat().map(changedAt))
  return times.every((time) => time < builtAt)
}

/** A removed file changes the time of its directory. */
async function withEntries(source: string): Promise<readonly string[]> {
  if (!(await stat(source)).isDirectory()) return [source]
  const entries = await readdir(source, { recursive: true })
  return [source, ...entries.map((entry) => join(source, entry))]
}

async function changedAt(path: string): Promise<number> {
  return (await stat(path)).mtimeMs
}

function isThere(name: string): boolean {
  try {
    import.meta.resolve(name)
    return true
  } catch {
    return false
  }
}

async function compress(directory: string): Promise<void> {
  const compressed = new Set(['.html', '.js', '.css', '.svg', '.wasm'])
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !compressed.has(extname(entry.name))) continue
    const path = join(entry.parentPath, entry.name)
    const bytes = await readFile(path)
    // The best takes half a minute for PDFium, and saves an eighth of it.
    const params = { [constants.BROTLI_PARAM_QUALITY]: extname(path) === '.wasm' ? 9 : 11 }
    await writeFile(`${path}.br`, brotliCompressSync(bytes, { params }))
    await writeFile(`${path}.gz`, gzipSync(bytes, { level: 9 }))
  }
}
