/**
 * Runs inside of the server under test, loaded by `--import`: writes down each turn of the event loop that used much
 * of the main thread. A timer that fires every few milliseconds sees every turn that is longer. It counts processor
 * time of this thread and not the clock, so neither the other processes of a busy machine nor the other threads of the
 * server look like a long turn.
 */
import { appendFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

/** Rarely enough to cost little. What else is done in that time counts, too. */
export const LOOK_EVERY_MS = 5
/** Far below what a run may call a fault. */
const REPORTED_MS = 10

const file = process.env.BLINDKEEP_LOOP_PROBE
if (isMainThread && file !== undefined) {
  let [usedMs, at] = [threadMs(), Date.now()]
  setInterval(() => {
    const [now, nowMs] = [Date.now(), threadMs()]
    if (nowMs - usedMs >= REPORTED_MS) appendFileSync(file, `${at} ${now} ${(nowMs - usedMs).toFixed(1)}\n`)
    at = now
    usedMs = nowMs
  }, LOOK_EVERY_MS).unref()
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
