import { useEffect } from 'preact/hooks'
import { formats } from '../common/language/format.ts'
import { useText } from '../common/language/reader.ts'
import { useCloseGuard } from '../common/work/closeGuard.ts'
import type { Snapshot } from './ground/messages.ts'
import { isProven, outcomeOf, unsentOf } from './ground/standing.ts'
import type { Tell } from './ground/tell.ts'
import { guestTexts } from './ground/texts.ts'

/** While sending: progress in the title, screen on, and a question before the tab closes, also for chosen files. */
export function useWhileSending(snapshot: Snapshot | undefined, tell: Tell): void {
  const text = useText(guestTexts)
  const format = useText(formats)
  const isSending = snapshot !== undefined && snapshot.totals.files > snapshot.totals.landed
  const isMoving = isSending && !snapshot.isPaused && snapshot.counts.paused < snapshot.totals.files
  const outcome = snapshot !== undefined && isProven(snapshot) ? outcomeOf(snapshot) : undefined
  const isPartial = outcome !== undefined && (outcome.missing > 0 || (snapshot !== undefined && unsentOf(snapshot) > 0))
  const ending = outcome === undefined ? 'Blindkeep' : isPartial ? text.pageTitleSome : text.pageTitleDone
  const percent = isSending ? format.percent(snapshot.totals.doneBytes, snapshot.totals.totalBytes) : undefined
  useEffect(() => {
    document.title = percent === undefined ? ending : text.pageTitle(percent)
  }, [percent, ending, text])
  // The browser forgets what is chosen and not sent.
  useCloseGuard(isSending || (snapshot?.counts.chosen ?? 0) > 0)
  useEffect(() => (isMoving ? stayAwake() : undefined), [isMoving])
  useEffect(() => {
    const wake = () => document.visibilityState === 'visible' && tell({ do: 'wake' })
    document.addEventListener('visibilitychange', wake)
    addEventListener('online', wake)
    addEventListener('pageshow', wake)
    return () => {
      document.removeEventListener('visibilitychange', wake)
      removeEventListener('online', wake)
      removeEventListener('pageshow', wake)
    }
  }, [tell])
}

/** The system releases the lock when the page is hidden, so it is requested again (Screen Wake Lock, section 9). */
function stayAwake(): () => void {
  let lock: WakeLockSentinel | undefined
  let isOver = false
  const take = async () => {
    if (document.visibilityState !== 'visible') return
    // The system refuses, for example, when the battery is low: the screen turns off and the upload resumes later.
    const acquired = await navigator.wakeLock?.request('screen').catch(() => undefined)
    if (isOver) await acquired?.release()
    else lock = acquired
  }
  void take()
  document.addEventListener('visibilitychange', take)
  return () => {
    isOver = true
    document.removeEventListener('visibilitychange', take)
    void lock?.release()
  }
}
