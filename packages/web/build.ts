/**
 * Builds the pages into `dist/`, or where `--out` says, each file beside its compressed forms, so that the server compresses nothing at run time.
 * What was there is replaced at the end, in one step. With `--if-possible` an installation without the tools for it (`npm ci --omit=dev`) is no fault.
 */
import { cp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { extname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { pagesConfig, previewConfig } from './vite.config.ts'

const here = import.meta.dirname
const { values } = parseArgs({ options: { out: { type: 'string' }, 'if-possible': { type: 'boolean' } } })
const dist = resolve(values.out ?? join(here, 'dist'))
const staging = `${dist}.${process.pid}`

if (isThere('vite') || values['if-possible'] !== true) await buildAll()
else console.log('The tools that build the pages are not installed, so what is built already stays as it is.')

async function buildAll(): Promise<void> {
  const { build } = await import('vite')
  try {
    await build(pagesConfig(staging))
    await build(previewConfig(staging))
    await cp(join(here, 'preview'), join(staging, 'preview'), { recursive: true })
    await compress(staging)
    await rm(dist, { recursive: true, force: true })
    await rename(staging, dist)
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
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
  const compressed = new Set(['.html', '.js', '.css', '.svg'])
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !compressed.has(extname(entry.name))) continue
    const path = join(entry.parentPath, entry.name)
    const bytes = await readFile(path)
    await writeFile(`${path}.br`, brotliCompressSync(bytes))
    await writeFile(`${path}.gz`, gzipSync(bytes, { level: 9 }))
  }
}
