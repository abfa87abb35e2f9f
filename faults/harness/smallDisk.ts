/** A small file system in memory that can be filled and freed. */
import { spawnSync } from 'node:child_process'
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  rmdirSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface SmallDisk {
  readonly directory: string
  /** Takes all free space, then gives back `room` bytes. Repeated calls keep the disk full. */
  fill(room?: number): void
  free(): void
  unmount(): void
}

/** Needs Linux and the right to mount; otherwise returns what is missing. */
export function mountSmallDisk(bytes: number): SmallDisk | { readonly missing: string } {
  const directory = mkdtempSync(join(tmpdir(), 'blindkeep-disk-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'blindkeep', directory], {
    encoding: 'utf8',
  })
  if (mounted.status !== 0) {
    rmdirSync(directory)
    return { missing: `no tmpfs can be mounted: ${(mounted.error?.message ?? mounted.stderr).trim()}` }
  }
  const filler = join(directory, 'filler')
  return {
    directory,
    fill: (room = 0) => fill(filler, room),
    free: () => rmSync(filler, { force: true }),
    unmount() {
      spawnSync('umount', ['--lazy', directory])
      rmdirSync(directory)
    },
  }
}

const PIECE_BYTES = 1024 * 1024
const PAGE_BYTES = 4096

function fill(path: string, room: number): void {
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND)
  try {
    for (const bytes of [PIECE_BYTES, PAGE_BYTES]) appendUntilFull(file, Buffer.alloc(bytes, 1))
    if (room > 0) ftruncateSync(file, Math.max(0, fstatSync(file).size - room))
  } finally {
    closeSync(file)
  }
}

function appendUntilFull(file: number, piece: Uint8Array): void {
  try {
    for (;;) writeSync(file, piece)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
  }
}
