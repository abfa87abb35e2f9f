/** The memory of a tab, as counted by its JavaScript engines and by the system. */
import { readFile, writeFile } from 'node:fs/promises'
import type { HeapUsage, Tab } from './tab.ts'

const SAMPLE_MS = 250

export interface TabMemory {
  /** The most bytes that the page and its workers used in a sample: objects, and buffers outside the heap. */
  readonly heapBytes: number
  /** Peak resident bytes of the tab's process, with Chromium's own code. Undefined where unknown. */
  readonly residentBytes: number | undefined
}

/** Measures the memory during `work`. */
export async function watchMemory<Result>(
  tab: Tab,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly memory: TabMemory }> {
  const processes = await tab.processes()
  await Promise.all(processes.map(forgetPeak))
  let heapBytes = 0
  const sample = async () => {
    // A worker that ends meanwhile does not answer.
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

/** Resets the peak, see proc(5), `clear_refs`. */
async function forgetPeak(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5').catch(() => undefined)
}

async function peakOf(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const kibibytes = /^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1]
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024
}
