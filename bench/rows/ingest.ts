/**
 * P1, P1b: files of many chunks from several clients at once, hash-verified, durable and each with a receipt. Compared
 * with a server that neither hashes nor syncs, and with one program that writes as many bytes and syncs them once.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { timeProgram } from '../processes.ts'
import type { Lane, Row, RowOptions } from '../row.ts'
import { remarksOnTusd, tusdLane } from '../tusd.ts'
import { bareUploadsLane, dropsLane, removeFiles, tusLane, type UploadLoad } from '../uploadLanes.ts'
import { prepareFile } from '../uploads.ts'

const CLIENTS = 4
const MEBIBYTE = 1024 * 1024
const CHUNK_BYTES = 8 * MEBIBYTE

export const ingest: Row = {
  name: 'ingest',
  ids: ['P1', 'P1b'],
  what: 'durable, hash-verified ingest: 4 clients, 128 MiB each, chunks of 8 MiB',
  async open(options) {
    const chunkBytes = options.isQuick ? MEBIBYTE : CHUNK_BYTES
    const fileBytes = (options.isQuick ? 2 : 16) * chunkBytes
    const files = Array.from({ length: CLIENTS }, () => prepareFile(randomBytes(fileBytes), chunkBytes))
    const load = { clients: CLIENTS, files, units: (CLIENTS * fileBytes) / MEBIBYTE }
    const drops = await dropsLane(options, load)
    const tus = await tusLane(options, load)
    const tusd = await tusdLane(options, load)
    const bare = await bareUploadsLane(options, load)
    const dd = await ddLane(options, load)
    return {
      unit: 'MiB/s',
      lanes: [drops, tus, ...(tusd === undefined ? [] : [tusd]), bare, dd],
      comparisons: [
        { id: 'P1', lane: drops, beside: tus, reach: 1.3 },
        ...(tusd === undefined ? [] : [{ id: 'P1', lane: drops, beside: tusd, reach: 1.3 }]),
        { id: 'P1', lane: drops, beside: bare },
        { id: 'P1b', lane: drops, beside: dd, reach: 0.85 },
      ],
      remarks: () => remarksOnTusd(tusd, options),
    }
  },
}

/** Reads the same random bytes from a file in the page cache, so that it measures only the writing. */
async function ddLane({ directory }: RowOptions, { files, units }: UploadLoad): Promise<Lane> {
  const source = join(directory, 'source')
  await writeFile(
    source,
    files.flatMap(({ chunks }) => chunks.map(({ bytes }) => bytes)),
  )
  const kept = join(directory, 'dd')
  await mkdir(kept)
  const parameters = [`if=${source}`, `of=${join(kept, 'written')}`, `bs=${CHUNK_BYTES}`, 'conv=fdatasync']
  return {
    name: 'dd conv=fdatasync, from the page cache',
    measure: async () => ({ value: units / (await timeProgram('dd', parameters)) }),
    clear: () => removeFiles(kept),
  }
}
