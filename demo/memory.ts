import { readFile } from 'node:fs/promises'
import { mebibytes, type Story } from './story.ts'

/** The most memory that a process has held so far, in bytes; undefined where the system does not tell (it is Linux that does) or the process is gone. */
export async function peakMemory(pid: number | 'self'): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024
}

const MIB = 1024 * 1024

/** The most memory of every process that has run, in bytes; what was killed is in it too. */
export interface MemoryPeaks {
  readonly server: (number | undefined)[]
  readonly guests: (number | undefined)[]
}

/** Files of any size pass through with flat memory. Half of what is held is Node itself, with its compiler for TypeScript. */
const MAX_BYTES = 200 * MIB

export async function reportMemory(story: Story, peaks: MemoryPeaks): Promise<void> {
  await story.step('How much memory that took.', async () => {
    tell('server', 'The server')
    tell('guests', 'Gustav’s processes')
  })

  function tell(who: keyof MemoryPeaks, name: string): void {
    const known = peaks[who].filter((peak) => peak !== undefined)
    const most = Math.max(0, ...known)
    if (known.length === 0) story.say(`${name}: this system does not tell.`)
    else story.check(most < MAX_BYTES, `${name} held ${mebibytes(most)} at most, of ${mebibytes(MAX_BYTES)} allowed`)
  }
}
