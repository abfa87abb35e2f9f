/** The work that is under way: at most one job for each file. */

export type JobKind = 'preparing' | 'sending'

/** Reasons with which a job is aborted. */
export const PAUSED = Symbol('paused')
export const CANCELLED = Symbol('cancelled')

export interface UploadJobs {
  start(kind: JobKind, id: string, work: (signal: AbortSignal) => Promise<void>): void
  isRunning(id: string): boolean
  count(kind: JobKind): number
  /** Answers false when no job of the file runs. */
  abort(id: string, reason: typeof PAUSED | typeof CANCELLED): boolean
  /** Resolves when no job of the file runs. Never rejects. */
  ended(id: string): Promise<void>
}

interface UploadJobsOptions {
  /** Called when a job throws, while it still counts as running. */
  readonly onError: (id: string, error: unknown) => void
  readonly onEnd: () => void
}

interface Job {
  readonly kind: JobKind
  readonly controller: AbortController
  readonly done: Promise<void>
}

export function createUploadJobs({ onError, onEnd }: UploadJobsOptions): UploadJobs {
  const jobs = new Map<string, Job>()
  return {
    start(kind, id, work) {
      const controller = new AbortController()
      const done = work(controller.signal)
        .catch((error: unknown) => onError(id, error))
        .finally(() => {
          jobs.delete(id)
          onEnd()
        })
      jobs.set(id, { kind, controller, done })
    },
    isRunning: (id) => jobs.has(id),
    count: (kind) => [...jobs.values()].filter((job) => job.kind === kind).length,
    abort(id, reason) {
      const job = jobs.get(id)
      job?.controller.abort(reason)
      return job !== undefined
    },
    async ended(id) {
      await jobs.get(id)?.done
    },
  }
}
