import type { Environment } from '../config/sources.ts'

/** A terminal sends Ctrl-C to npm and the server, and npm hands it on: a signal so soon is the same one. */
const SAME_SIGNAL_MS = 1000
const PARENT_POLL_MS = 250

/**
 * Calls `end` once: at SIGINT, SIGTERM or SIGHUP, or when npm has ended, if npm started the server. Between the two
 * stands a shell, and it depends on the versions of both whether a signal arrives; a server that goes on alone would
 * keep the lock of its data. A second signal ends the process at once.
 */
export function onEnding(environment: Environment, end: () => void): void {
  let endingSince: number | undefined
  const begin = () => {
    if (endingSince !== undefined) return
    endingSince = performance.now()
    end()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      if (endingSince !== undefined && performance.now() - endingSince > SAME_SIGNAL_MS) process.exit(1)
      begin()
    })
  // `npm start` and `npx`. A script of another name may mean to leave a server behind.
  if (!['start', 'npx'].includes(environment.npm_lifecycle_event ?? '')) return
  const parent = process.ppid
  setInterval(() => {
    if (process.ppid !== parent) begin()
  }, PARENT_POLL_MS).unref()
}
