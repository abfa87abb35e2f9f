/** The report of a benchmark run, and the machine that it was measured on. */
import { cpus, loadavg, release, type } from 'node:os'
import type { Result } from './row.ts'

export interface Report {
  /** Before the first row. */
  readonly machine: Machine
  readonly rounds: number
  readonly isQuick: boolean
  /** Whether rounds beside other work of the machine were thrown away. */
  readonly isWatched: boolean
  readonly results: readonly Result[]
  readonly failures: readonly { readonly name: string; readonly message: string }[]
}

export interface Machine {
  readonly node: string
  readonly system: string
  readonly processor: string
  readonly cores: number
  /** Load averages over 1, 5 and 15 minutes. */
  readonly load: readonly number[]
}

export function machineNow(): Machine {
  const processors = cpus()
  return {
    node: process.version,
    system: `${type()} ${release()}`,
    processor: processors[0]?.model ?? 'unknown',
    cores: processors.length,
    load: loadavg(),
  }
}
