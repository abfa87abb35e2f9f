import { useEffect } from 'preact/hooks'
import { formatPercent } from '../common/format.ts'
import type { Snapshot } from './messages.ts'
import type { GuestPages } from './texts.ts'

/** What the rest of the browser is told while files are under way: the title, to stay awake, and to ask before the tab closes. */
export function useWhileSending(snapshot: Snapshot | undefined, { text, language, tell }: GuestPages): void {
  const isUnderWay = snapshot !== undefined && snapshot.totals.files > snapshot.totals.landed
  const isMoving = isUnderWay && !snapshot.isPaused && snapshot.counts.paused < snapshot.totals.files
  const isDone = snapshot !== undefined && snapshot.totals.files > 0 && !isUnderWay && snapshot.alarms === 0
  const percent = isUnderWay ? formatPercent(snapshot.totals.bytes, snapshot.totals.of, language) : undefined
  useEffect(() => {
    document.title = percent !== undefined ? text.pageTitle(percent) : isDone ? text.pageTitleDone : 'Blindkeep'
  }, [percent, isDone, text])
  useEffect(() => {
    document.documentElement.lang = language
  }, [language])
  useEffect(() => (isUnderWay ? askBeforeClosing() : undefined), [isUnderWay])
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

function askBeforeClosing(): () => void {
  const ask = (event: BeforeUnloadEvent) => event.preventDefault()
  addEventListener('beforeunload', ask)
  return () => removeEventListener('beforeunload', ask)
}

/** The system takes the lock away when the page is hidden, so it is asked for again (Screen Wake Lock, section 9). */
function stayAwake(): () => void {
  let lock: WakeLockSentinel | undefined
  let isOver = false
  const take = async () => {
    if (document.visibilityState !== 'visible') return
    // Refused on an empty battery, for one: then the screen goes dark, and the upload goes on later.
    const taken = await navigator.wakeLock?.request('screen').catch(() => undefined)
    if (isOver) await taken?.release()
    else lock = taken
  }
  void take()
  document.addEventListener('visibilitychange', take)
  return () => {
    isOver = true
    document.removeEventListener('visibilitychange', take)
    void lock?.release()
  }
}
