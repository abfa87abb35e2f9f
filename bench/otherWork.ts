/** Processor time of other work (proc(5), Linux). Rounds with much of it are not comparable. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** In clock ticks. */
export interface Taken {
  /** By everything on the machine, and by other machines on the same processors. */
  readonly all: number
  /** By this process and its descendants, and by the kernel's threads, which work for everybody. */
  readonly own: number
}

/** `_SC_CLK_TCK`, which is the same on all systems that Node runs on. */
export const TICKS_A_SECOND = 100
const KERNEL_THREADS = 2
const MAX_GENERATIONS = 100

export const CAN_WATCH = existsSync('/proc/stat')

export function takenSoFar(): Taken {
  const [user = 0, nice = 0, system = 0, , , , , steal = 0] = numbersIn(readFileSync('/proc/stat', 'utf8').slice(3))
  const processes = new Map(readdirSync('/proc').flatMap((name) => processOf(name) ?? []))
  // The parents of a process that starts or ends meanwhile may form a circle, as they were not read at one moment.
  const isOwn = (pid: number | undefined, generations = 0): boolean => {
    if (pid === process.pid || pid === KERNEL_THREADS) return true
    return pid !== undefined && generations < MAX_GENERATIONS && isOwn(processes.get(pid)?.parent, generations + 1)
  }
  const own = [...processes].filter(([pid]) => isOwn(pid)).reduce((sum, [, { ticks }]) => sum + ticks, 0)
  return { all: user + nice + system + steal, own }
}

/** Starts a watch. The returned function says how much of one core other work has taken since. */
export function watchOtherWork(): () => number {
  const [startedAt, before] = [performance.now(), takenSoFar()]
  return () => {
    const after = takenSoFar()
    const others = after.all - before.all - (after.own - before.own)
    return Math.max(0, others / TICKS_A_SECOND / ((performance.now() - startedAt) / 1000))
  }
}

/** Undefined for other files and ended processes. `ticks` include those of ended children. */
function processOf(name: string): [[pid: number, { readonly parent: number; readonly ticks: number }]] | undefined {
  if (!/^\d+$/.test(name)) return undefined
  try {
    const text = readFileSync(`/proc/${name}/stat`, 'utf8')
    // The second field is the command in parentheses, which may contain spaces.
    const [parent = 0, ...rest] = numbersIn(text.slice(text.lastIndexOf(')') + 3))
    const ticks = rest.slice(9, 13).reduce((sum, each) => sum + each, 0)
    return [[Number(name), { parent, ticks }]]
  } catch {
    return undefined
  }
}

function numbersIn(text: string): readonly number[] {
  return text.trim().split('\n', 1)[0]?.trim().split(/\s+/).map(Number) ?? []
}
