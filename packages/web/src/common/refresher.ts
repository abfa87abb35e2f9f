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
