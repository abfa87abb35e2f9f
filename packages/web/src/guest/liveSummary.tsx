import { useEffect, useRef, useState } from 'preact/hooks'
import { formatPercent } from '../common/format.ts'
import type { Snapshot } from './messages.ts'
import { useGuestPages } from './texts.ts'

/** Progress is told this often to who hears the page, and what changes at once. */
const QUIET_MS = 10_000

/** Heard, not seen: the same in words, without chatter. */
export function LiveSummary({ snapshot }: { readonly snapshot: Snapshot | undefined }) {
  const { text, language } = useGuestPages()
  const [said, setSaid] = useState('')
  const last = useRef({ key: '', atMs: 0 })
  useEffect(() => {
    if (snapshot === undefined || snapshot.totals.files === 0) return
    const { totals, counts, alarms } = snapshot
    const key = [totals.landed, counts.failed, totals.isRetrying, snapshot.isPaused, alarms].join()
    const nowMs = performance.now()
    const isDone = totals.landed === totals.files
    if (key === last.current.key && (isDone || nowMs - last.current.atMs < QUIET_MS)) return
    // Many small files land many times a second: those are progress too.
    const isOnlyLanding = !isDone && nowMs - last.current.atMs < QUIET_MS && sameButLanded(key, last.current.key)
    if (isOnlyLanding) return
    last.current = { key, atMs: nowMs }
    const failed = counts.failed > 0 ? ` ${text.live.failed(counts.failed)}` : ''
    const progress = text.live.sending(formatPercent(totals.bytes, totals.of, language), totals.landed, totals.files)
    const state = totals.isRetrying ? ` ${text.progress.retrying}` : snapshot.isPaused ? ` ${text.progress.paused}` : ''
    setSaid(isDone ? `${text.done.title(totals.landed)}.${failed}` : `${progress}${failed}${state}`)
  }, [snapshot])
  return (
    <p class="visually-hidden" role="status" aria-live="polite">
      {said}
    </p>
  )
}

function sameButLanded(key: string, before: string): boolean {
  return key.slice(key.indexOf(',')) === before.slice(before.indexOf(','))
}
