/** What a process used, as Linux counts it (proc(5)). */
import { readFileSync } from 'node:fs'

export interface ProcessCost {
  /** Processor time of the main thread, in milliseconds. */
  readonly mainMs: number
  /** Bytes that it has caused to be written to a disk. */
  readonly writtenBytes: number
}

export function costOf(pid: number): ProcessCost {
  const [onProcessor = ''] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')
  return { mainMs: Number(onProcessor) / 1e6, writtenBytes: numberIn(`/proc/${pid}/io`, 'write_bytes') }
}

/** Resident memory, in bytes. */
export function residentBytes(pid: number): number {
  return numberIn(`/proc/${pid}/status`, 'VmRSS') * 1024
}

function numberIn(path: string, name: string): number {
  const found = new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(readFileSync(path, 'utf8'))?.[1]
  if (found === undefined) throw new Error(`${path} has no ${name}`)
  return Number(found)
}
