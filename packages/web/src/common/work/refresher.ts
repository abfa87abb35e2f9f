import { oneAtATime } from './oneAtATime.ts'

export interface Refresher {
  /** Guarantees a run that begins after this call. */
  ask(): void
  /** Lets the current run finish, and begins no other. */
  stop(): void
}

/** The pause between two runs, so that a hundred changes at once do not cause a hundred runs. */
const REST_MS = 300

/** One run at a time, never aborted. All calls of `ask` during it cause one more. `run` must not reject. */
export function createRefresher(run: () => Promise<void>, wait: (ms: number) => Promise<void> = rest): Refresher {
  let isStopped = false
  const runAgain = oneAtATime(async () => {
    if (isStopped) return
    await run()
    await wait(REST_MS)
  })
  return {
    ask: () => void runAgain(),
    stop() {
      isStopped = true
    },
  }
}

function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
