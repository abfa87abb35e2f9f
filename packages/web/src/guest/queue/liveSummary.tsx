import { useEffect, useRef, useState } from 'preact/hooks'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import type { Snapshot } from '../ground/messages.ts'
import { isChecking, missingOf, unsentOf } from '../ground/standing.ts'
import { guestTexts } from '../ground/texts.ts'
import { headingOf } from './doneCard.tsx'

/** A screen reader announces progress at most this often, and other changes at once. */
const MIN_INTERVAL_MS = 10_000

/** Announces the progress to screen readers. */
export function LiveSummary({ snapshot }: { readonly snapshot: Snapshot | undefined }) {
  const format = useText(formats)
  const text = useText(guestTexts)
  const [announced, setAnnounced] = useState('')
  const last = useRef({ key: '', atMs: 0 })
  useEffect(() => {
    if (snapshot === undefined) return
    const { totals, counts, inOtherTab, alarms } = snapshot
    if (totals.files === 0 && counts.failed === 0) return
    const missing = missingOf(snapshot)
    const isDone = totals.landed === totals.files
    // What it will be called is known in a moment.
    if (isDone && isChecking(snapshot)) return
    const unsent = isDone ? unsentOf(snapshot) : 0
    const unproven = totals.landed - totals.arrived
    const state = [missing, inOtherTab, totals.trouble?.reason, snapshot.isPaused, alarms, unsent]
    const key = [totals.arrived, ...state].join()
    const nowMs = performance.now()
    const isNothing = totals.files === 0
    if (key === last.current.key && (isDone || nowMs - last.current.atMs < MIN_INTERVAL_MS)) return
    // Small files can land many times a second: this counts as progress.
    const isOnlyLanding = !isDone && nowMs - last.current.atMs < MIN_INTERVAL_MS && sameButLanded(key, last.current.key)
    if (isOnlyLanding) return
    last.current = { key, atMs: nowMs }
    const failed = missing > 0 ? text.live.failed(missing) : inOtherTab > 0 ? text.failures.other_tab : ''
    const progress = text.live.sending(
      format.percent(totals.doneBytes, totals.totalBytes),
      totals.arrived,
      totals.files,
    )
    const trouble = totals.trouble === undefined ? '' : text.failures[totals.trouble.reason]
    const halt = snapshot.isPaused ? text.progress.paused : trouble
    const done = `${headingOf({ arrived: totals.arrived, unproven, missing }, unsent, text)}.`
    setAnnounced(isNothing ? failed : isDone ? done : [progress, failed, halt].filter((part) => part !== '').join(' '))
  }, [snapshot])
  return (
    <p class="visually-hidden" role="status" aria-live="polite">
      {announced}
    </p>
  )
}

function sameButLanded(key: string, before: string): boolean {
  return key.slice(key.indexOf(',')) === before.slice(before.indexOf(','))
}
