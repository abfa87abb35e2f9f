/**
 * Claims: what one process at a time works on. A claim ends with its process, however that ended: the system releases the lock that shows that a process
 * runs. So a claim of before a restart, or from another container with the same files, is not mistaken for one of today.
 */
import { randomUUID } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { link, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { LocalError } from '../exits.ts'
import { codeOf, readPrivate } from './files.ts'

const SQLITE_BUSY = 5
const RETRY_MS = 20

export interface Claim {
  /** A directory that all processes of this user share. */
  readonly home: string
  /** The claim is a file beside this one. */
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
  const claim = `${path}.claim`
  const me = await runningId(home)
  await mkdir(dirname(path), { mode: 0o700, recursive: true })
  const endsAt = performance.now() + waitMs
  while (!(await isClaimed({ home, claim, me }))) {
    if (performance.now() >= endsAt)
      throw new LocalError(`Another process ${doing}. Wait for it, or stop it and call this again.`)
    await wait(RETRY_MS)
  }
  try {
    return await work()
  } finally {
    await rm(claim, { force: true })
  }
}

interface Claiming {
  readonly home: string
  readonly claim: string
  readonly me: string
}

async function isClaimed({ home, claim, me }: Claiming): Promise<boolean> {
  if (await isMade(claim, me)) return true
  const holder = await readPrivate(claim)
  if (holder === undefined || isRunning(home, holder)) return false
  // One process at a time replaces the claims of ended ones: otherwise two could, one after the other, and both go on.
  const lock = lockOf(join(home, RUNNING, 'replacing'))
  if (lock === undefined) return false
  try {
    if ((await readPrivate(claim)) !== holder) return false
    await rm(claim, { force: true })
    return await isMade(claim, me)
  } finally {
    lock.release()
  }
}

/** Makes the claim, which names its process from its first moment. False if there is one. */
async function isMade(claim: string, me: string): Promise<boolean> {
  const own = `${claim}.${randomUUID()}`
  await writeFile(own, me, { mode: 0o600 })
  try {
    await link(own, claim)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  } finally {
    await rm(own, { force: true })
  }
}

/** A file for each process that runs, which it keeps locked. */
const RUNNING = 'running'

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
  const directory = join(home, RUNNING)
  await mkdir(directory, { mode: 0o700, recursive: true })
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
  const path = join(home, RUNNING, id)
  if (!/^[0-9a-f-]{36}$/.test(id) || !existsSync(path)) return false
  const lock = lockOf(path)
  if (lock === undefined) return true
  rmSync(path, { force: true })
  lock.release()
  return false
}

interface Lock {
  release(): void
}

/** SQLite's lock of an empty file is used and nothing else of it: the same on every system. Undefined if another process has the lock. */
function lockOf(path: string): Lock | undefined {
  const database = new DatabaseSync(path)
  try {
    database.exec('BEGIN EXCLUSIVE')
    return { release: () => database.close() }
  } catch (error) {
    database.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return undefined
    throw error
  }
}
