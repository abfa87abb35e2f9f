/** Files to which lines are only ever added. A kill or a power cut leaves at most half a line, which does not count. */
import { type FileHandle, open } from 'node:fs/promises'
import { withPath } from '@blindkeep/client/node'
import { ifDiskHas, unlessMissing } from '../ground/disk.ts'
import { whileAlone } from './claims.ts'

/** Longer than a write takes on a busy disk. */
const WAIT_MS = 30_000
const LINE_END = 10
const BLOCK_BYTES = 65_536

interface Appending {
  readonly home: string
  readonly path: string
  /** For another process that waits: `notes receipts of this server`. */
  readonly doing: string
}

/** Adds lines without their ends, durably. After a kill some may be missing, the last ones first. */
export async function appendLines({ home, path, doing }: Appending, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return
  await whileAlone({ home, path, doing, waitMs: WAIT_MS }, async () => {
    const file = await open(path, 'a+', 0o600)
    await withPath(path, async () => {
      try {
        // Half a line that a power cut has left.
        await file.truncate(await wholeBytes(file))
        await file.appendFile(lines.map((line) => `${line}\n`).join(''))
        await ifDiskHas(() => file.sync())
      } finally {
        await file.close()
      }
    })
  })
}

/** The whole lines; none if there is no file. */
export async function* linesOf(path: string): AsyncGenerator<string, void> {
  const file = await open(path, 'r').catch(unlessMissing)
  if (file === undefined) return
  try {
    const whole = await wholeBytes(file)
    if (whole > 0) yield* file.readLines({ start: 0, end: whole - 1, autoClose: false })
  } finally {
    await file.close()
  }
}

/** Bytes up to the end of the last line that was written as a whole. */
async function wholeBytes(file: FileHandle): Promise<number> {
  let { size: end } = await file.stat()
  while (end > 0) {
    const from = Math.max(0, end - BLOCK_BYTES)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(end - from), 0, end - from, from)
    const last = buffer.subarray(0, bytesRead).lastIndexOf(LINE_END)
    if (last !== -1) return from + last + 1
    end = from
  }
  return 0
}
