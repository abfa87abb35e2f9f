/** Opens rows one after another, measures them, and tells of those that failed. */
import { rmSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { measureRow, type Result, type Rounds, type Row } from './row.ts'
import { p1 } from './rows/p1.ts'
import { p2 } from './rows/p2.ts'
import { p3 } from './rows/p3.ts'
import { p4 } from './rows/p4.ts'
import { p6 } from './rows/p6.ts'
import { p8 } from './rows/p8.ts'
import { p11 } from './rows/p11.ts'
import { type Machine, machineNow } from './table.ts'

/** In the order of the targets. */
export const ROWS: readonly Row[] = [p1, p2, p3, p4, p6, p8, p11]

export interface Run {
  readonly rows: readonly Row[]
  readonly rounds: number
  /** Small sizes and nothing to warm up: that it works, not how fast it is. */
  readonly isQuick: boolean
  readonly tell: (text: string) => void
}

export interface Report {
  /** Before anything was measured. */
  readonly machine: Machine
  readonly rounds: number
  readonly isQuick: boolean
  readonly results: readonly Result[]
  readonly failures: readonly { readonly id: string; readonly message: string }[]
}

export async function runRows({ rows, rounds, isQuick, tell }: Run): Promise<Report> {
  const machine = machineNow()
  const directory = await mkdtemp(join(tmpdir(), 'blindkeep-bench-'))
  const removeAll = () => rmSync(directory, { recursive: true, force: true })
  process.once('exit', removeAll)
  const results: Result[] = []
  const failures: Report['failures'][number][] = []
  for (const row of rows) {
    const [id = ''] = row.ids
    try {
      results.push(...(await runRow(row, join(directory, id), { warmups: isQuick ? 0 : 1, rounds, tell, isQuick })))
    } catch (error) {
      failures.push({ id, message: error instanceof Error ? error.message : String(error) })
    }
  }
  removeAll()
  process.removeListener('exit', removeAll)
  return { machine, rounds, isQuick, results, failures }
}

async function runRow(row: Row, directory: string, rounds: Rounds & Pick<Run, 'isQuick'>): Promise<readonly Result[]> {
  const closings: (() => Promise<unknown>)[] = []
  await mkdir(directory)
  try {
    const open = await row.open({ directory, isQuick: rounds.isQuick, atEnd: (close) => closings.push(close) })
    return await measureRow(row, open, rounds)
  } finally {
    await Promise.allSettled(closings.map((close) => close()))
    await rm(directory, { recursive: true, force: true })
  }
}
