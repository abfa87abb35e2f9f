/**
 * A system that has a program, the libraries that it is linked with, and nothing else: no Node, no shell, no devices.
 * It is a directory that is the root of the program (`chroot`), with the network of this machine.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export interface BareSystem {
  /** Starts the program, as a user without rights, whose home is `/home`. */
  start(args: readonly string[], environment?: Readonly<Record<string, string>>): ChildProcess
  /** A file in that home. */
  write(name: string, content: string): void
  read(name: string): string
  remove(): void
}

/** Neither root nor a user of this machine. */
const USER = 65_534
const HOME = '/home'

/** Whether this machine can have one; otherwise what it lacks. */
export function lackOfBareSystem(): string | undefined {
  return process.platform === 'linux' && process.getuid?.() === 0 ? undefined : 'it needs Linux and root'
}

/** `environment`: of every start. */
export function bareSystem(program: string, environment: Readonly<Record<string, string>>): BareSystem {
  const root = mkdtempSync(join(tmpdir(), 'blindkeep-bare-'))
  chmodSync(root, 0o755)
  // As `ldd` prints them: `libm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x…)`, and the loader without a name.
  const libraries = execFileSync('ldd', [program], { encoding: 'utf8' }).match(/\/\S+/g) ?? []
  for (const library of libraries) put(library, join(root, library))
  put(program, join(root, 'blindkeep'))
  const home = join(root, HOME)
  mkdirSync(home)
  chownSync(home, USER, USER)
  return {
    start: (args, more = {}) =>
      spawn('chroot', [`--userspec=${USER}:${USER}`, root, '/blindkeep', ...args], {
        env: { HOME, PATH: process.env.PATH, ...environment, ...more },
        stdio: 'pipe',
      }),
    write: (name, content) => writeFileSync(join(home, name), content),
    read: (name) => readFileSync(join(home, name), 'utf8'),
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}

function put(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  copyFileSync(from, to)
}
