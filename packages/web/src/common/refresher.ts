export interface Refresher {
  /** There will be a run that begins after this call. */
  ask(): void
  /** What runs comes to its end; nothing begins any more. */
  stop(): void
}

/** Between two runs, so that a hundred changes at once are not a hundred readings. */
const REST_MS = 300

/** Runs one at a time, never given up for the next. However often it is asked meanwhile, one more follows. `run` never rejects. */
export function createRefresher(run: () => Promise<void>, wait: (ms: number) => Promise<void> = rest): Refresher {
  let isWanted = false
  let isRunning = false
  let isStopped = false

  async function runWhileWanted(): Promise<void> {
    isRunning = true
    while (isWanted && !isStopped) {
      isWanted = false
      await run()
      await wait(REST_MS)
    }
    isRunning = false
  }

  return {
    ask() {
      isWanted = true
      if (!isRunning) void runWhileWanted()
    },
    stop() {
      isStopped = true
    },
  }
}

function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
