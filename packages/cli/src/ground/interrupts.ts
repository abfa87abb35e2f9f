import { EXIT } from './exits.ts'

const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM']
/** Also at the end of the terminal: not for what people let run on with `nohup`. */
export const WITH_TERMINAL: readonly NodeJS.Signals[] = [...SIGNALS, 'SIGHUP']

/** Runs `work` with a signal for Ctrl-C and SIGTERM, so that it ends in order. A second Ctrl-C ends at once. */
export async function interruptible<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
  signals = SIGNALS,
): Promise<Result> {
  const stop = new AbortController()
  // It stays: without a listener of ours, the one that brings back the terminal's cursor ends the process at the
  // first Ctrl-C.
  const interrupted = (by: NodeJS.Signals) => {
    if (stop.signal.aborted) process.exit(EXIT.interrupted)
    stop.abort(new Interrupted(by))
  }
  for (const signal of signals) process.on(signal, interrupted)
  try {
    return await work(stop.signal)
  } finally {
    for (const signal of signals) process.removeListener(signal, interrupted)
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
