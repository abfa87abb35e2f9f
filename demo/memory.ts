import { readFile } from 'node:fs/promises'
import { mebibytes, type Story } from './story.ts'

/** Peak memory in bytes; undefined for an ended process, and without Linux. */
export async function peakMemory(pid: number | 'self'): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024
}

const MIB = 1024 * 1024

/** The peak memory of every process, in bytes, including killed ones. */
export interface MemoryPeaks {
  readonly server: (number | undefined)[]
  readonly guests: (number | undefined)[]
}

/** Memory does not grow with the size of a file. About half of it is Node itself, with its TypeScript compiler. */
const MAX_BYTES = 200 * MIB
/** Of a server that also has the libraries of PostgreSQL and S3. */
export const MAX_NODE_BYTES = 250 * MIB

export async function reportMemory(story: Story, peaks: MemoryPeaks, serverMaxBytes = MAX_BYTES): Promise<void> {
  await story.step('The memory of all processes.', async () => {
    report('server', 'The server', serverMaxBytes)
    report('guests', 'Gustav’s processes', MAX_BYTES)
  })

  function report(who: keyof MemoryPeaks, name: string, maxBytes: number): void {
    const known = peaks[who].filter((peak) => peak !== undefined)
    const peak = Math.max(0, ...known)
    if (known.length === 0) story.say(`${name}: this system does not report it.`)
    else story.check(peak < maxBytes, `${name} used at most ${mebibytes(peak)} of ${mebibytes(maxBytes)} allowed`)
  }
}
