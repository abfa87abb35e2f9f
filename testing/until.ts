import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'

const POLL_MS = 20
/** What takes a moment has taken twenty seconds on a busy machine. */
const PATIENCE_MS = 60_000

/** Asks again until it is so. Fails after `timeoutMs`, and says then `what` was waited for. */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  what: string | (() => string) = String(isSo),
  timeoutMs = PATIENCE_MS,
): Promise<void> {
  const giveUpAt = performance.now() + timeoutMs
  while (!(await isSo())) {
    assert.ok(performance.now() < giveUpAt, `not within ${timeoutMs} ms: ${typeof what === 'string' ? what : what()}`)
    await wait(POLL_MS)
  }
}
