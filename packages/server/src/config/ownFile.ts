import { closeSync, fstatSync, lstatSync, openSync, readSync, type Stats, statSync } from 'node:fs'

const ROOT = 0
const GROUP_WRITES = 0o020
const OTHERS_WRITE = 0o002
/** Far more than all settings take. Another file was meant. */
const MAX_FILE_BYTES = 1024 * 1024

/**
 * Reads the file of settings at `path`. Throws an error for people if another user of the machine could change by it
 * what this process does. A file that was named is its caller's choice, also if it is another user's. One that only
 * lies in the working directory has to belong to the user or to root, and so does a link in its place: the directory
 * may be one in which every user writes. Systems without owners pass.
 */
export function readOwnFile(path: string, { isNamed }: { readonly isNamed: boolean }): Buffer {
  const uid = process.getuid?.()
  const judge = (file: Stats) => uid !== undefined && refuseForeign(path, { uid, isNamed, file })
  // Opening a pipe waits for its writer, which the other user need not start.
  judge(statSync(path))
  const file = openSync(path, 'r')
  try {
    judge(fstatSync(file))
    return readShort(file)
  } finally {
    closeSync(file)
  }
}

/** A wrong file may be large, or, as a device, without an end. */
function readShort(file: number): Buffer {
  const bytes = Buffer.alloc(MAX_FILE_BYTES + 1)
  let length = 0
  for (let read = -1; read !== 0; length += read) {
    if (length > MAX_FILE_BYTES) throw new Error('it is too large for a file of settings')
    read = readSync(file, bytes, length, bytes.length - length, null)
  }
  return bytes.subarray(0, length)
}

interface Opened {
  readonly uid: number
  readonly isNamed: boolean
  readonly file: Stats
}

function refuseForeign(path: string, { uid, isNamed, file }: Opened): void {
  const isForeign = (stats: Stats) => stats.uid !== uid && stats.uid !== ROOT
  const foreign = isNamed ? undefined : [lstatSync(path), file].find(isForeign)
  if (foreign !== undefined)
    throw new Error(
      `it belongs to another user (${foreign.uid}), who could change what this process does. If its settings are yours, run: chown ${uid} ${path}. Otherwise work in another directory, or name the file of your settings with --config`,
    )
  const others = isNamed ? OTHERS_WRITE : GROUP_WRITES | OTHERS_WRITE
  // Of a pipe the mode says nothing: a shell has made it for this process.
  if (file.isFile() && (file.mode & others) !== 0) throw new Error(`other users may change it; run: chmod go-w ${path}`)
}
