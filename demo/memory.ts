import { readFile } from 'node:fs/promises'
import { mebibytes, type Story } from './story.ts'

/** The most memory that a process has held so far, in bytes; undefined where the system does not tell (it is Linux that does) or the process is gone. */
export async function peakMemory(pid: number | 'self'): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024
}

const MEMORY_BYTES_MAX = 200 * 1024 * 1024

export interface MemoryReport {
  /** Of each of the server's processes, the one that was killed too. */
  readonly server: readonly (number | undefined)[]
  readonly guests: readonly (number | undefined)[]
}

/** Files of any size pass through with flat memory; 300 MB are enough to show it. */
export async function reportMemory(story: Story, { server, guests }: MemoryReport): Promise<void> {
  await story.step('Memory.', async () => {
    for (const [who, peaks] of [
      ['the server’s processes', server],
      ['Gustav’s processes', guests],
    ] as const) {
      const known = peaks.filter((peak) => peak !== undefined)
      const isSmall = known.every((peak) => peak < MEMORY_BYTES_MAX)
      story.check(
        isSmall,
        `${who} held at most ${known.length === 0 ? 'an amount that this system does not tell' : mebibytes(Math.max(...known))} (limit 200 MiB)`,
      )
    }
  })
}
