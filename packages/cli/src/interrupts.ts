/** Runs `work` with a signal that aborts at Ctrl-C and at SIGTERM, so that it can end in order. A second Ctrl-C ends the process at once. */
export async function interruptible<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const stop = new AbortController()
  const interrupted = (by: NodeJS.Signals) => stop.abort(new Interrupted(by))
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted)
  try {
    return await work(stop.signal)
  } finally {
    process.removeListener('SIGINT', interrupted).removeListener('SIGTERM', interrupted)
  }
}

export class Interrupted extends Error {
  override readonly name = 'Interrupted'
  readonly by: NodeJS.Signals
  constructor(by: NodeJS.Signals) {
    super('Stopped.')
    this.by = by
  }
}
