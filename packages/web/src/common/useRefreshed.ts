import { NetworkError } from '@blindkeep/client/errors'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { createRefresher, type Refresher } from './refresher.ts'
import type { Loaded } from './useLoaded.ts'

/**
 * A list that changes while it is looked at. Unlike `useLoaded`, it lets each reading come to its end: with many files arriving, a reading that is given up
 * for the next one would never show anything. What was there stays in view; after a lost connection it is read again by itself.
 */
export function useRefreshed<Value>(load: (signal: AbortSignal) => Promise<Value>): Loaded<Value> {
  const [state, setState] = useState<Omit<Loaded<Value>, 'reload'>>({
    value: undefined,
    error: undefined,
    isLoading: true,
  })
  const refresher = useRef<Refresher | undefined>(undefined)
  useEffect(() => {
    const gone = new AbortController()
    const show = (change: Partial<typeof state>) => gone.signal.aborted || setState((last) => ({ ...last, ...change }))
    let isCutOff = false
    const begun = createRefresher(async () => {
      show({ isLoading: true })
      try {
        show({ value: await load(gone.signal), error: undefined, isLoading: false })
        isCutOff = false
      } catch (error) {
        isCutOff = error instanceof NetworkError
        show({ error, isLoading: false })
      }
    })
    const again = () => isCutOff && begun.ask()
    refresher.current = begun
    begun.ask()
    window.addEventListener('online', again)
    return () => {
      gone.abort()
      begun.stop()
      window.removeEventListener('online', again)
    }
  }, [])
  const reload = useCallback(() => refresher.current?.ask(), [])
  return { ...state, reload }
}
