/** How much memory a tab takes: what its engines count, and what the system counts. */
import { readFile, writeFile } from 'node:fs/promises'
import type { HeapUsage, Tab } from './tab.ts'

const SAMPLE_MS = 250

export interface TabMemory {
  /** What the page and its workers used at most at any sample, in bytes: objects, and the buffers that they hold outside the heap. */
  readonly heapBytes: number
  /** The most that the tab's process had in memory at any moment, in bytes, Chromium's own code included. Undefined where the system does not tell. */
  readonly residentBytes: number | undefined
}

/** What it took while `work` was done. */
export async function watchMemory<Result>(
  tab: Tab,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly memory: TabMemory }> {
  const processes = await tab.processes()
  await Promise.all(processes.map(forgetPeak))
  let heapBytes = 0
  const sample = async () => {
    // A worker that ends meanwhile has no answer.
    const usages = await tab.heapUsages().catch(() => [])
    heapBytes = Math.max(
      heapBytes,
      usages.map(bytesOf).reduce((sum, bytes) => sum + bytes, 0),
    )
  }
  const timer = setInterval(() => void sample(), SAMPLE_MS)
  try {
    const result = await work()
    const peaks = await Promise.all(processes.map(peakOf))
    const known = peaks.flatMap((bytes) => bytes ?? [])
    return { result, memory: { heapBytes, residentBytes: known.length === 0 ? undefined : Math.max(...known) } }
  } finally {
    clearInterval(timer)
  }
}

function bytesOf({ usedSize, embedderHeapUsedSize, backingStorageSize }: HeapUsage): number {
  return usedSize + embedderHeapUsedSize + backingStorageSize
}

/** So that the peak is that of what follows (proc(5), `clear_refs`). */
async function forgetPeak(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5').catch(() => undefined)
}

async function peakOf(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const kibibytes = /^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1]
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024
}
