/** Copies of a SQLite database beside it, before each upgrade: the way back if an upgrade goes wrong. */
import { existsSync, lstatSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { sizeText } from '@blindkeep/protocol/byteSizes'
import { freeBytesBeside } from '../../../ground/disk.ts'
import { RELEASE } from '../../../ground/release.ts'
import { copySqlite } from './copy.ts'
import { syncPath } from './syncPath.ts'

export interface UpgradeCopy {
  readonly path: string
  /** How many migrations the copied database had. */
  readonly migration: number
}

/** What the copy and the upgrade take of the disk. */
export interface CopyRoom {
  /** At most. */
  readonly neededBytes: number
  readonly freeBytes: number
}

/** The database could not be copied, so nothing may change it. */
export class UpgradeNotCopied extends Error {
  override readonly name = 'UpgradeNotCopied'
}

/** The last ones are kept: one goes back by an upgrade, and one is left when an upgrade has to be tried twice. */
const KEPT = 2
/** For the upgrade itself, and what SQLite writes beside the database meanwhile. */
const BESIDES_BYTES = 16 * 1024 * 1024
const COPYING = '.copying'
/** Of a copy that lacks receipts. It never leads back. */
const OUTDATED = '.outdated'
const NAME = /^\.migration-(\d+)\.before-\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(\.outdated)?$/

/** The copy that an upgrade of the database at `path` makes, which has run `migration` migrations. */
export function copyOf(path: string, migration: number): UpgradeCopy {
  return { path: `${path}.migration-${migration}.before-${RELEASE}`, migration }
}

/** The copies of the database at `path` that may lead back, the last one first. */
export function copiesOf(path: string): readonly UpgradeCopy[] {
  return filesOf(path).filter(({ isOutdated }) => !isOutdated)
}

/**
 * Marks the copies of the database at `path` as outdated: a receipt was signed that they lack, so that a server on one
 * of them would use its number again. Returns how many there were.
 */
export function outdateCopies(path: string): number {
  const copies = copiesOf(path)
  for (const copy of copies) renameSync(copy.path, copy.path + OUTDATED)
  return copies.length
}

interface CopyFile extends UpgradeCopy {
  readonly isOutdated: boolean
  readonly takenAtMs: number
}

/** Also the outdated ones. The last one first. */
function filesOf(path: string): readonly CopyFile[] {
  const [directory, name] = [dirname(path), basename(path)]
  if (!existsSync(directory)) return []
  const found = readdirSync(directory).flatMap((entry): readonly CopyFile[] => {
    const [, migration, outdated] = (entry.startsWith(name) && NAME.exec(entry.slice(name.length))) || []
    const file = join(directory, entry)
    const facts = migration === undefined ? undefined : lstatSync(file, { throwIfNoEntry: false })
    if (facts?.isFile() !== true) return []
    return [{ path: file, migration: Number(migration), isOutdated: outdated !== undefined, takenAtMs: facts.mtimeMs }]
  })
  return found.toSorted((one, other) => other.takenAtMs - one.takenAtMs)
}

export async function roomForCopy(path: string): Promise<CopyRoom> {
  const files = [path, `${path}-wal`].filter(existsSync)
  return {
    neededBytes: files.reduce((sum, file) => sum + statSync(file).size, BESIDES_BYTES),
    freeBytes: await freeBytesBeside(path),
  }
}

/** The sentence for a disk without that room; undefined when there is room. */
export function lackOfRoom(path: string, { neededBytes, freeBytes }: CopyRoom): string | undefined {
  if (freeBytes >= neededBytes) return undefined
  return notCopied(
    `the disk of ${dirname(path)} has ${sizeText(freeBytes)} free, and this needs up to ${sizeText(neededBytes)}`,
  )
}

/**
 * Copies the database at `path`, mode 0600; the copy is checked and durable when it resolves. Then removes all but
 * the last two copies. Nothing may write to the database meanwhile. Throws `UpgradeNotCopied`, and has then
 * changed nothing.
 */
export async function copyBeforeUpgrade(path: string, migration: number): Promise<UpgradeCopy> {
  const lack = lackOfRoom(path, await roomForCopy(path))
  if (lack !== undefined) throw new UpgradeNotCopied(lack)
  const copy = copyOf(path, migration)
  const temporary = path + COPYING
  try {
    // Of an upgrade that was interrupted.
    rmSync(temporary, { force: true })
    await copySqlite(path, temporary)
    renameSync(temporary, copy.path)
    syncPath(dirname(path))
  } catch (cause) {
    if (lstatSync(temporary, { throwIfNoEntry: false })?.isFile() === true) rmSync(temporary)
    throw new UpgradeNotCopied(notCopied(cause instanceof Error ? cause.message : String(cause)), { cause })
  }
  removeOld(path, copy)
  return copy
}

/** What cannot be removed stays: that is no reason not to start. */
function removeOld(path: string, copy: UpgradeCopy): void {
  const others = filesOf(path).filter((file) => file.path !== copy.path)
  const kept = others.filter(({ isOutdated }) => !isOutdated).slice(0, KEPT - 1)
  for (const file of others) {
    if (kept.includes(file)) continue
    try {
      rmSync(file.path)
    } catch {
      // Seen again at the next upgrade.
    }
  }
}

function notCopied(why: string): string {
  return `the database has to be copied before this version changes it, and that is not possible: ${why}. Nothing was changed. Make room on that disk, or go on with the version that you had; \`blindkeep-server upgrade --without-copy\` relies on a backup of your own.`
}
