/** What must hold between the rows of a data directory and the files beside them: bytes may be strays of a crash, rows never without bytes. */
import { createHash, type Hash } from 'node:crypto'
import { open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { rowsOf } from './rows.ts'

const READ_BYTES = 1024 * 1024

export interface CopyCheck {
  readonly database: DatabaseSync
  readonly blobsDirectory: string
  /** Kept copies whose bytes were compared before and need not be again; grows. */
  readonly compared: Set<string>
  /** Nobody sends any more, and a sweep has run since: nothing that it removes is left, and nothing is under way. */
  readonly isSwept: boolean
}

/** Faults as sentences; none when every copy that is owned has its bytes, and every file its row. */
export async function checkCopies(check: CopyCheck): Promise<readonly string[]> {
  const files = await filesIn(check.blobsDirectory)
  return [
    ...strays(check, files),
    ...(await keptFaults(check, files)),
    ...(await stagedFaults(check, files)),
    ...(check.isSwept ? leftOver(check) : []),
  ]
}

/** Sizes in bytes by location. */
async function filesIn(directory: string): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>()
  // The root has the marker of the directory too, which is no copy.
  const prefixes = (await readdir(directory)).filter((name) => !name.startsWith('.'))
  for (const prefix of prefixes) {
    for (const name of await readdir(join(directory, prefix))) {
      sizes.set(`${prefix}/${name}`, (await stat(join(directory, prefix, name))).size)
    }
  }
  return sizes
}

/** The intent is written before the first byte and its row goes after the last one, so no crash leaves a file that no row knows. */
function strays({ database }: CopyCheck, files: ReadonlyMap<string, number>): readonly string[] {
  const known = new Set(rowsOf(database, 'select location from copies').map((row) => row.text('location')))
  return [...files.keys()]
    .filter((location) => !known.has(location))
    .map((location) => `no row knows the file ${location}`)
}

const KEPT = `select 'a pending drop' as what, location, size, ciphertext_hash from drops
  union all select 'an asset’s ' || role, location, size, ciphertext_hash from asset_blobs`

async function keptFaults(check: CopyCheck, files: ReadonlyMap<string, number>): Promise<readonly string[]> {
  const faults: string[] = []
  for (const row of rowsOf(check.database, KEPT)) {
    const [what, location] = [row.text('what'), row.text('location')]
    const present = files.get(location)
    if (present !== row.number('size'))
      faults.push(`${what} of ${row.number('size')} bytes has ${present}: ${location}`)
    if (present === undefined || check.compared.has(location)) continue
    const hash = createHash('sha256')
    await readInto(hash, join(check.blobsDirectory, location), { start: 0, end: present })
    if (hash.digest('hex') !== row.text('ciphertext_hash')) faults.push(`the bytes of ${what} are others: ${location}`)
    check.compared.add(location)
  }
  return faults
}

/** After a killed process, unlike after a power cut, every acknowledged chunk’s bytes are what they were. */
async function stagedFaults(check: CopyCheck, files: ReadonlyMap<string, number>): Promise<readonly string[]> {
  const faults: string[] = []
  const underWay = `select upload_id, location, size, received_bytes from uploads where state in ('open', 'finishing')`
  for (const row of rowsOf(check.database, underWay)) {
    const [uploadId, location] = [row.text('upload_id'), row.text('location')]
    const present = files.get(location) ?? 0
    if (present < row.number('received_bytes') || present > row.number('size'))
      faults.push(
        `session ${uploadId} received ${row.number('received_bytes')} of ${row.number('size')} bytes, its file has ${present}`,
      )
    for (const chunk of rowsOf(check.database, 'select * from chunks where upload_id = ?', uploadId)) {
      const start = chunk.number('offset')
      const hash = createHash('sha256')
      await readInto(hash, join(check.blobsDirectory, location), { start, end: start + chunk.number('length') })
      if (hash.digest('hex') !== chunk.text('checksum'))
        faults.push(`the chunk at ${start} of session ${uploadId} has other bytes`)
    }
  }
  return faults
}

async function readInto(
  hash: Hash,
  path: string,
  range: { readonly start: number; readonly end: number },
): Promise<void> {
  const file = await open(path, 'r')
  try {
    const buffer = Buffer.alloc(Math.min(READ_BYTES, range.end - range.start))
    for (let position = range.start; position < range.end; ) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, range.end - position), position)
      if (bytesRead === 0) return
      hash.update(buffer.subarray(0, bytesRead))
      position += bytesRead
    }
  } finally {
    await file.close()
  }
}

function leftOver({ database }: CopyCheck): readonly string[] {
  const unswept = rowsOf(database, `select location, state from copies where state in ('doomed', 'unowned')`)
  const stuck = rowsOf(database, `select upload_id, state from uploads where state in ('open', 'finishing')`)
  return [
    ...unswept.map((row) => `a sweep has left a copy that is ${row.text('state')}: ${row.text('location')}`),
    ...stuck.map((row) => `a session is still ${row.text('state')}: ${row.text('upload_id')}`),
  ]
}
