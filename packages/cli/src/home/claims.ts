/**
 * Claims: what one process at a time works on. A claim ends with its process, however that ended: the system releases
 * the lock that shows that a process runs. So a claim of before a restart, or from another container with the same
 * files, is not mistaken for one of today.
 */
import { createHash, randomUUID } from 'node:crypto'
import { existsSync, rmSync, statSync } from 'node:fs'
import { mkdir, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { codeOf, makeFolder, unlessMissing } from '../ground/disk.ts'
import { LocalError } from '../ground/exits.ts'

const SQLITE_BUSY = 5
/** Also of a file that another process has removed meanwhile. */
const SQLITE_IOERR_FSTAT = 1802
const RETRY_MS = 20
/** Longer than all claims of a killed process take on a busy disk. */
const REPLACING_MS = 30_000

export interface Claim {
  /** A directory that all processes of this user share. */
  readonly home: string
  /** The claim is a folder beside this file. */
  readonly path: string
  /** What the other process does, for the person: `sends this file`. */
  readonly doing: string
  /** How long to wait for another process. 0 by default. */
  readonly waitMs?: number
}

/** Runs `work` while no other process has claimed `path`. Throws `LocalError` if one has, and goes on. */
export async function whileAlone<Result>(
  { home, path, doing, waitMs = 0 }: Claim,
  work: () => Promise<Result>,
): Promise<Result> {
  const claim = `${path}.claimed`
  const me = await runningId(home)
  makeFolder(dirname(path), 0o700)
  const endsAt = performance.now() + waitMs
  while (!(await isClaimed({ home, claim, me }))) {
    if (performance.now() >= endsAt)
      throw new LocalError(`Another process ${doing}. Wait for it, or stop it and call this again.`)
    await wait(RETRY_MS)
  }
  try {
    return await work()
  } finally {
    await release(claim, me)
  }
}

interface Claiming {
  readonly home: string
  readonly claim: string
  readonly me: string
}

async function isClaimed({ home, claim, me }: Claiming): Promise<boolean> {
  if (await isMade(claim, me)) return true
  const holder = await holderOf(claim)
  if (holder === undefined || isRunning(home, holder)) return false
  // One process at a time replaces the claims of ended ones: otherwise two could, one after the other, and both go on.
  const lock = await replacingIn(home)
  if (lock === undefined) return false
  try {
    if ((await holderOf(claim)) !== holder) return false
    await release(claim, holder)
    return await isMade(claim, me)
  } finally {
    lock.release()
  }
}

/** Waits for the others, which take a moment each: work that was killed has left many claims. */
async function replacingIn(home: string): Promise<Lock | undefined> {
  const path = join(runningIn(home), 'replacing')
  for (const endsAt = performance.now() + REPLACING_MS; ; await wait(RETRY_MS)) {
    const lock = lockOf(path)
    if (lock !== undefined || performance.now() >= endsAt) return lock
  }
}

/**
 * Makes the claim: a folder with a file that is named after its process, from its first moment. False if there is one:
 * a folder replaces none that has something in it. So it needs no hard links, which some disks lack.
 */
async function isMade(claim: string, me: string): Promise<boolean> {
  const own = `${claim}.${randomUUID()}`
  await mkdir(own, { mode: 0o700 })
  try {
    await writeFile(join(own, me), '', { mode: 0o600 })
    await rename(own, claim)
    return true
  } catch (error) {
    const code = codeOf(error)
    if (code === 'EEXIST' || code === 'ENOTEMPTY') return false
    // What Windows answers.
    if (code === 'EPERM' && existsSync(claim)) return false
    throw error
  } finally {
    await rm(own, { recursive: true, force: true })
  }
}

async function holderOf(claim: string): Promise<string | undefined> {
  const [holder] = (await readdir(claim).catch(unlessMissing)) ?? []
  return holder
}

/** Another process may claim it as soon as the folder is empty. */
async function release(claim: string, holder: string): Promise<void> {
  await rm(join(claim, holder), { force: true })
  await rmdir(claim).catch((error: unknown) => {
    if (!['EEXIST', 'ENOENT', 'ENOTEMPTY'].includes(codeOf(error) ?? '')) throw error
  })
}

const runningFolders = new Map<string, string>()

/**
 * Where each process that runs has a file, which it keeps locked: in its home. If that disk has no locks, as some
 * network drives, it is where this machine keeps temporary files, and then another machine with the same home is
 * not seen.
 */
function runningIn(home: string): string {
  const known = runningFolders.get(home)
  if (known !== undefined) return known
  const tag = createHash('sha256').update(`${process.getuid?.()} ${home}`).digest('hex').slice(0, 32)
  const found = [join(home, 'running'), join(tmpdir(), `blindkeep-${tag}`)].find((folder, index) =>
    hasLocks(folder, { isPublic: index > 0 }),
  )
  if (found === undefined)
    throw new LocalError(
      `${home} is on a disk without locks, and so is ${tmpdir()}. Set BLINDKEEP_HOME to a folder of a local disk.`,
    )
  runningFolders.set(home, found)
  return found
}

/** `isPublic`: another user may have made it. */
function hasLocks(directory: string, { isPublic }: { readonly isPublic: boolean }): boolean {
  makeFolder(directory, 0o700)
  if (isPublic && process.getuid !== undefined && statSync(directory).uid !== process.getuid()) return false
  const path = join(directory, `probe-${randomUUID()}`)
  try {
    const lock = lockOf(path)
    lock?.release()
    return lock !== undefined
  } catch {
    return false
  } finally {
    rmSync(path, { force: true })
  }
}

const running = new Map<string, Promise<string>>()

/** This process's name in `home`. No other process ever has it. */
export function runningId(home: string): Promise<string> {
  const known = running.get(home)
  if (known !== undefined) return known
  const made = begin(home)
  running.set(home, made)
  return made
}

async function begin(home: string): Promise<string> {
  const directory = runningIn(home)
  for (const left of await readdir(directory)) if (left !== 'replacing') isRunning(home, left)
  for (;;) {
    const id = randomUUID()
    const path = join(directory, id)
    await writeFile(path, '', { mode: 0o600 })
    const lock = lockOf(path)
    // Another process may have taken it for one of an ended process before it was locked.
    if (lock === undefined || !existsSync(path)) continue
    process.once('exit', () => {
      lock.release()
      rmSync(path, { force: true })
    })
    return id
  }
}

/** Whether the process of that name runs. Removes the file of one that has ended. */
export function isRunning(home: string, id: string): boolean {
  const path = join(runningIn(home), id)
  if (!/^[0-9a-f-]{36}$/.test(id) || !existsSync(path)) return false
  const lock = lockOf(path)
  if (lock === undefined) return existsSync(path)
  rmSync(path, { force: true })
  lock.release()
  return false
}

interface Lock {
  release(): void
}

/** SQLite's lock of an empty file, the same on all systems. Undefined if another process has it or removes the file. */
function lockOf(path: string): Lock | undefined {
  const database = new DatabaseSync(path)
  try {
    database.exec('BEGIN EXCLUSIVE')
    return { release: () => database.close() }
  } catch (error) {
    database.close()
    const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined
    if (code === SQLITE_BUSY || code === SQLITE_IOERR_FSTAT) return undefined
    throw error
  }
}
